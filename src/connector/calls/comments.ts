import { decodeComments } from '../answers/comments.ts';
import { asObject, readField, readNumber } from '../answers/json-values.ts';
import type { CommentCalls, CommentStatus } from '../child-site.ts';
import { unexpectedAnswerError } from '../child-errors.ts';
import { createActionSender, type SignedCaller } from '../signed-call.ts';

/** Names of statuses in requests. The child's `all` does not include spam and trash, so it is never sent. */
const ASKED_AS: Record<CommentStatus, string> = { approved: 'approve', pending: 'hold', spam: 'spam', trash: 'trash' };

export function createCommentCalls(caller: SignedCaller): CommentCalls {
  const send = createActionSender(caller);

  return {
    async comments(link, { statuses, maximum, keyword, after, before }) {
      const fields = {
        status: statuses.map((status) => ASKED_AS[status]).join(','),
        maxRecords: maximum,
        keyword,
        dtsstart: after,
        dtsstop: before,
      };
      const answer = await send(link, { functionName: 'get_all_comments', fields, reads: true });
      const comments = decodeComments(answer, maximum * statuses.length);
      if (!comments) throw unexpectedAnswerError(false);
      return comments;
    },

    async commentAction(link, action, ids) {
      const one = ids.length === 1;
      const functionName = one ? 'comment_action' : 'comment_bulk_action';
      const fields = one ? { action, id: ids[0] } : { action, ids: ids.join(',') };
      const answer = asObject(await send(link, { functionName, fields, reads: false }));
      const claimed = one
        ? readField(answer, 'status') === 'SUCCESS'
        : readNumber(readField(answer, 'success')) !== null;
      if (!claimed) throw unexpectedAnswerError(true);
    },
  };
}
