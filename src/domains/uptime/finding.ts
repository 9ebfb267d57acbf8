/** Possible results of a check. The index in this list is stored, so new results must be appended. */
export const FINDINGS = [
  'status_accepted',
  'status_refused',
  'keyword_found',
  'keyword_missing',
  'connected',
  'dns',
  'connect',
  'tls',
  'timeout',
  'reset',
  'body_too_large',
  'bad_encoding',
  'too_many_redirects',
  'address_refused',
  'bad_redirect',
] as const;
export type Finding = (typeof FINDINGS)[number];

const UP_FINDINGS: ReadonlySet<Finding> = new Set(['status_accepted', 'keyword_found', 'connected']);

/** Times are whole milliseconds, or null if the attempt did not get that far. A status of 0 means no response. */
export interface Attempt {
  finding: Finding;
  status: number;
  address: string | null;
  /** Time until the response, or until the end of the attempt. */
  totalMs: number;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
}

export const isUp = ({ finding }: Attempt): boolean => UP_FINDINGS.has(finding);

export function sentenceOf({ finding, status }: Attempt): string {
  switch (finding) {
    case 'status_accepted':
      return `The status ${status} is one of the accepted ones.`;
    case 'status_refused':
      return `The status ${status} is none of the accepted ones.`;
    case 'keyword_found':
      return 'The answer has the keyword.';
    case 'keyword_missing':
      return 'The answer lacks the keyword.';
    case 'connected':
      return 'The host took the connection.';
    case 'dns':
      return 'The name of the host leads nowhere.';
    case 'connect':
      return 'The host took no connection.';
    case 'tls':
      return 'The TLS handshake failed, or the certificate is not trusted.';
    case 'timeout':
      return 'The answer did not come in time.';
    case 'reset':
      return 'The connection broke off before the end of the answer.';
    case 'body_too_large':
      return 'The answer is too large to be searched for the keyword.';
    case 'bad_encoding':
      return 'The answer is compressed, which was not asked for, and cannot be searched.';
    case 'too_many_redirects':
      return 'The host redirects too often.';
    case 'address_refused':
      return 'The host lies in a network that this service does not call.';
    case 'bad_redirect':
      return 'The host redirects to what is no web address.';
  }
}
