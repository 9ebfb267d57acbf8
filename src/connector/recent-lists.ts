/** Number of posts per status in a list of recent posts. The child sends 5 if more than 30 are requested. */
export const MAX_RECENT_POSTS = 30;
/**
 * Number of statuses whose posts are listed: published, draft, pending, trash and scheduled. Private posts and
 * automatic drafts are in no list.
 */
export const RECENT_POST_STATUSES = 5;
/** Five approved and five pending comments. A request cannot change this number. */
export const MAX_RECENT_COMMENTS = 10;
