import type { operations } from '../../../../generated/v2.ts';
import { DONE_TO_COMMENT, type CommentFilter } from '../../../domains/comments/index.ts';
import type { RouteRequest } from '../../../http/operation-types.ts';
import type { RequiredServices } from '../../../service/services.ts';
import { throwFieldError } from '../../../shared/field-errors.ts';
import type { HandlersOf } from '../handlers.ts';
import { commentsActedView, commentsView } from './view.ts';
import { streamBySite } from '../stream-by-site.ts';
import { dropEmptyFilters } from '../query-helpers.ts';
import { SELECTION_FIELD_NAMES, siteSelectionOf } from '../site-selection.ts';

export const fieldNames = SELECTION_FIELD_NAMES;

export const routes = ({
  comments: { comments },
  fleetReads: { selector, fanOut },
}: RequiredServices<'comments' | 'fleetReads'>): HandlersOf<'comments'> => {
  return {
    comments_list: async ({ caller, query }) => {
      const read = comments.reader(toCommentFilter(query));
      const selected = await selector.select(siteSelectionOf(caller.sites, query));
      return {
        status: 200,
        ...streamBySite(selected, fanOut.callAll(selected.sites, read, caller.wait), commentsView),
      };
    },
    comments_list_site: async ({ query, site: { id } }) => {
      const { site, comments: siteComments } = await comments.list(id, toCommentFilter(query));
      return { status: 200, body: { success: 1, data: { [site.url]: commentsView(siteComments, site) } } };
    },
    comments_act: async ({ path, body: { action }, caller, site: { id } }) => {
      const acted = await comments.act(id, action, path.id_comment, caller.name);
      const message = `The comment was ${DONE_TO_COMMENT[action]}.`;
      return {
        status: 200,
        body: { success: 1, message, data: { comment_id: acted.id, comment_status: acted.state } },
      };
    },
    comments_act_bulk: async ({ body: { action, comment_ids }, caller, site: { id } }) => {
      const outcome = await comments.actOnMany(id, action, parseCommentIds(comment_ids), caller.name);
      const all = outcome.done.length + outcome.errors.length;
      const verb = outcome.done.length === 1 ? 'was' : 'were';
      const message = `${outcome.done.length} of ${all} comments ${verb} ${DONE_TO_COMMENT[action]}.`;
      return { status: 200, body: { success: 1, message, data: commentsActedView(outcome) } };
    },
  };
};

type Query = RouteRequest<operations, 'comments_list_site'>['query'];

function toCommentFilter({ status, keyword, dtsstart, dtsstop, maximum }: Query): CommentFilter {
  if (dtsstart !== undefined && dtsstop !== undefined && dtsstart > dtsstop)
    throwFieldError('dtsstop', 'must not be before dtsstart');
  const chosen = status === 'all' ? undefined : status;
  return { ...dropEmptyFilters({ status: chosen, keyword, firstDay: dtsstart, lastDay: dtsstop }), maximum };
}

const parseCommentIds = (ids: string | readonly number[]): readonly number[] =>
  typeof ids === 'string' ? ids.split(',').map(Number) : ids;
