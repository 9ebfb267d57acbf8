/** A link that shows a report without a login. Times are milliseconds since 1970. */
export interface ReportLink {
  id: number;
  reportId: number;
  mailId: number;
  createdAt: number;
  expiresAt: number;
  revokedAt: number | null;
  openings: number;
  lastOpenedAt: number | null;
}

/** Stands for the token in stored mails. The token itself is filled in when the mail is sent. */
export const TOKEN_PLACEHOLDER = 'hidden-link-token';

export const TOKEN_BYTES = 32;

export const isLinkToken = (text: string): boolean => /^[A-Za-z0-9_-]{43}$/.test(text);
