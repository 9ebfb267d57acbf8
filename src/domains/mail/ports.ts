import type { AttachedFile } from './mail.ts';

/** A mail as it is handed to a mail server. */
export interface OutgoingMail {
  from: string;
  /** Whom its head names. */
  to: readonly string[];
  /** Those of them who do not have it yet. */
  recipients: readonly string[];
  subject: string;
  html: string;
  text: string;
  attachments: readonly AttachedFile[];
  messageId: string;
  date: Date;
}

/** What the server says when it does not take a mail or one of its recipients. */
export interface Reply {
  /** Null where there is no answer. */
  status: number | null;
  message: string;
  /** Another attempt would meet the same answer. */
  permanent: boolean;
}
export interface RecipientRefusal extends Reply {
  address: string;
}

export type Handover =
  | { state: 'accepted'; message: string; refused: readonly RecipientRefusal[] }
  | ({ state: 'refused'; refused: readonly RecipientRefusal[] } & Reply)
  | { state: 'unknown'; message: string };

/** The way to the mail server. */
export interface MailServer {
  /** `beforeContent` runs before the first byte of the content is sent; where it throws, none is. */
  handOver(mail: OutgoingMail, call: { beforeContent: () => Promise<void>; signal: AbortSignal }): Promise<Handover>;
}
