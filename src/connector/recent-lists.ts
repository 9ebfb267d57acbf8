/** Number of posts per status in a list of recent posts. The child sends 5 if more than 30 are requested. */
export const MAX_RECENT_POSTS = 30;
/** Published, draft, pending, trashed and scheduled posts. Private posts and automatic drafts are in no list. */
export const RECENT_POST_STATUSES = 5;
/** Five approved and five held comments. The number cannot be changed. */
export const MAX_RECENT_COMMENTS = 10;
