/** Process that audits a page until a test kills it: `audit-and-wait.ts <url> <browser>`. */
import { Lighthouse } from '../../src/browser/index.ts';

const [url = '', chromePath = ''] = process.argv.slice(2);
const lighthouse = new Lighthouse({
  chromePath,
  sandbox: process.getuid?.() !== 0,
  systemPath: process.env['PATH'] ?? '',
  allowedNetworks: ['127.0.0.0/8'],
  ipv4Only: () => false,
});
const limits = { deadlineMs: 120_000, memoryBytes: 3 * 1024 ** 3 };
await lighthouse.audit(
  { url, strategy: 'mobile', locale: 'en', verifyTls: true },
  limits,
  new AbortController().signal,
);
