import type { CredentialOwner } from '../../shared/requester.ts';
import type { SiteScope } from '../../shared/site-scope.ts';
import type { Mailbox } from '../../shared/mailbox.ts';
import type { AttachedFile } from './mail.ts';

export interface OutgoingMail {
  from: Mailbox;
  replyTo: string | null;
  /** Addresses in the header of the mail. `recipients` are those that have not received the mail yet. */
  to: readonly string[];
  recipients: readonly string[];
  subject: string;
  html: string;
  text: string;
  attachments: readonly AttachedFile[];
  messageId: string;
  date: Date;
}

export interface MailServerReply {
  status: number | null;
  message: string;
  /** True if another attempt would get the same response. */
  permanent: boolean;
}
/** Step of a delivery. `address` is the lookup of the host name of the mail server. */
export type DeliveryStep = 'address' | 'connection' | 'tls' | 'login' | 'sender' | 'recipients' | 'content';

export interface RecipientRefusal extends MailServerReply {
  address: string;
}

export type MailHandover =
  | { state: 'accepted'; message: string; refused: readonly RecipientRefusal[] }
  | ({ state: 'refused'; step: DeliveryStep; refused: readonly RecipientRefusal[] } & MailServerReply)
  | { state: 'unknown'; message: string };

export interface MailServer {
  /** Calls `beforeContent` before it sends the first byte of the content. If this throws, no content is sent. */
  handOver(
    mail: OutgoingMail,
    call: { beforeContent: () => Promise<void>; signal: AbortSignal },
  ): Promise<MailHandover>;
}

export type ScopeOfOwner = (owner: CredentialOwner) => Promise<SiteScope>;
