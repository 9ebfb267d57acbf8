/** Possible results of a check. The index in this list is stored, so new results must be appended. */
export const ATTEMPT_FINDINGS = [
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
export type AttemptFinding = (typeof ATTEMPT_FINDINGS)[number];

const UP_FINDINGS: ReadonlySet<AttemptFinding> = new Set(['status_accepted', 'keyword_found', 'connected']);

/** Times are whole milliseconds, or null if the attempt did not get that far. A status of 0 means no response. */
export interface CheckAttempt {
  finding: AttemptFinding;
  status: number;
  address: string | null;
  /** Time until the response, or until the attempt ended without one. */
  totalMs: number;
  dnsMs: number | null;
  connectMs: number | null;
  tlsMs: number | null;
  firstByteMs: number | null;
}

export const isUp = ({ finding }: CheckAttempt): boolean => UP_FINDINGS.has(finding);

export function describeAttempt({ finding, status }: CheckAttempt): string {
  switch (finding) {
    case 'status_accepted':
      return `The status ${status} is accepted.`;
    case 'status_refused':
      return `The status ${status} is not accepted.`;
    case 'keyword_found':
      return 'The response contains the keyword.';
    case 'keyword_missing':
      return 'The response does not contain the keyword.';
    case 'connected':
      return 'The host accepted the connection.';
    case 'dns':
      return 'The host name could not be resolved.';
    case 'connect':
      return 'The host did not accept the connection.';
    case 'tls':
      return 'The TLS handshake failed, or the certificate is not trusted.';
    case 'timeout':
      return 'The response did not arrive in time.';
    case 'reset':
      return 'The connection was interrupted before the end of the response.';
    case 'body_too_large':
      return 'The response is too large to be searched for the keyword.';
    case 'bad_encoding':
      return 'The response is compressed although this was not requested, so it cannot be searched.';
    case 'too_many_redirects':
      return 'The host redirects too often.';
    case 'address_refused':
      return 'The host is in a network that this service must not call.';
    case 'bad_redirect':
      return 'The host redirects to an invalid URL.';
  }
}
