import type { components } from '../../../../generated/v2.ts';
import type { BulkCommentActionResult, SiteComment } from '../../../domains/comments/index.ts';
import type { SiteWithUrlKey } from '../../../domains/sites/index.ts';
import { toIso } from '../../../shared/clock.ts';

type Schemas = components['schemas'];

export const commentsView = (comments: readonly SiteComment[], site: SiteWithUrlKey): Schemas['Comment'][] =>
  comments.map(({ id, status, author, authorEmail, authorUrl, content, postId, postTitle, at }) => ({
    comment_id: id,
    comment_author: author,
    comment_author_email: authorEmail,
    comment_author_url: authorUrl,
    comment_content: content,
    comment_status: status,
    comment_date: toIso(at),
    post_id: postId,
    post_title: postTitle,
    website_id: site.id,
    website_url: site.url,
    website_name: site.name,
  }));

export const commentsActedView = ({ done, errors }: BulkCommentActionResult): Schemas['CommentsActed']['data'] => ({
  updated: done,
  errors: errors.map(({ id, code, message }) => ({ comment_id: id, code, message })),
});
