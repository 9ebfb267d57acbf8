import type { CommentCalls } from './child-site/comments.ts';
import type { ConnectionCalls } from './child-site/connection.ts';
import type { ContentCalls } from './child-site/content.ts';
import type { GuardFileCalls } from './child-site/guard-files.ts';
import type { InventoryCalls } from './child-site/inventory.ts';
import type { ReportCalls } from './child-site/report-data.ts';
import type { SyncCalls } from './child-site/stats.ts';
import type { ToolCalls } from './child-site/tools.ts';
import type { UpdateCalls } from './child-site/updates.ts';
import type { UserCalls } from './child-site/users.ts';

/**
 * Interface to a child site for the rest of the product: targets, keys and typed responses. Domains import only this
 * file, and each domain uses only the calls of its subject. Responses are limited in size and strictly decoded, but
 * their texts remain untrusted: never use them as HTML, SQL or paths. Times are milliseconds since 1970, unless a
 * comment says otherwise, and null if the child does not send them. Every method throws `ChildUnreachableError`,
 * `ChildRefusedError` or `ChildBadAnswerError` (shared/errors), and `InvalidError('svc_address_refused')` if the
 * address may not be dialed.
 */
export interface ChildSite
  extends
    ConnectionCalls,
    SyncCalls,
    InventoryCalls,
    UpdateCalls,
    ContentCalls,
    CommentCalls,
    UserCalls,
    ReportCalls,
    ToolCalls,
    GuardFileCalls {}

export * from './child-site/target.ts';
export * from './child-site/connection.ts';
export * from './child-site/stats.ts';
export * from './child-site/inventory.ts';
export * from './child-site/updates.ts';
export * from './child-site/content.ts';
export * from './child-site/comments.ts';
export * from './child-site/users.ts';
export * from './child-site/report-data.ts';
export * from './child-site/tools.ts';
export { GUARD_FILE_FOLDER, guardFileName } from './guard-file-names.ts';
export * from './child-site/guard-files.ts';
