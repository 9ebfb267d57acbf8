import { Readable } from 'node:stream';
import { POLICY, type Pageable, type ReportPages } from '../../../domains/report-pages/index.ts';

type FileFormat = 'html' | 'pdf';
const TYPES: Readonly<Record<FileFormat, string>> = { html: 'text/html', pdf: 'application/pdf' };
/** A browser that opens the page shows it, and lets it do nothing. */
const PAGE_POLICY = `${POLICY}; frame-ancestors 'none'; form-action 'none'; base-uri 'none'; sandbox`;

interface FileAnswer {
  status: 200;
  body: Readable;
  contentType: string;
  headers: Record<string, string>;
}

export const isFile = (format: string): format is FileFormat => Object.hasOwn(TYPES, format);

/** A report as a file that a browser shows, and keeps under a name that every system takes. */
export async function fileAnswer(
  pages: ReportPages,
  format: FileFormat,
  make: () => Promise<Pageable>,
  hungUp: () => AbortSignal,
): Promise<FileAnswer> {
  return fileOf(format, format === 'pdf' ? await pages.pdf(make, hungUp()) : await pages.html(await make()));
}

/** The same of a file that was made before. */
export const fileOf = (
  format: FileFormat,
  { content, name }: { content: string | Uint8Array; name: string },
): FileAnswer => ({
  status: 200,
  body: Readable.from([typeof content === 'string' ? content : Buffer.from(content)]),
  contentType: TYPES[format],
  headers: {
    'Content-Disposition': `inline; filename="${name}.${format}"`,
    'Content-Security-Policy': PAGE_POLICY,
    'X-Content-Type-Options': 'nosniff',
  },
});
