import { Readable } from 'node:stream';
import {
  CONTENT_SECURITY_POLICY,
  type ReportToRender,
  type ReportPageRenderer,
} from '../../../domains/report-pages/index.ts';

type FileFormat = 'html' | 'pdf';
const CONTENT_TYPES: Readonly<Record<FileFormat, string>> = { html: 'text/html', pdf: 'application/pdf' };
/** Content-Security-Policy of a report. A browser shows the report but runs no scripts, forms or frames. */
export const PAGE_POLICY = `${CONTENT_SECURITY_POLICY}; frame-ancestors 'none'; form-action 'none'; base-uri 'none'; sandbox`;

interface FileResponse {
  status: 200;
  body: Readable;
  contentType: string;
  headers: Record<string, string>;
}

export const isFileFormat = (format: string): format is FileFormat => Object.hasOwn(CONTENT_TYPES, format);

export async function renderFileResponse(
  pages: ReportPageRenderer,
  format: FileFormat,
  make: () => Promise<ReportToRender>,
  disconnectSignal: () => AbortSignal,
): Promise<FileResponse> {
  return fileResponse(
    format,
    format === 'pdf' ? await pages.pdf(make, disconnectSignal()) : await pages.html(await make()),
  );
}

export const fileResponse = (
  format: FileFormat,
  { content, name }: { content: string | Uint8Array; name: string },
): FileResponse => ({
  status: 200,
  body: Readable.from([typeof content === 'string' ? content : Buffer.from(content)]),
  contentType: CONTENT_TYPES[format],
  headers: {
    'Content-Disposition': `inline; filename="${name}.${format}"`,
    'Content-Security-Policy': PAGE_POLICY,
    'X-Content-Type-Options': 'nosniff',
  },
});
