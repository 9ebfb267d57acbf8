export type ActivitySegment =
  | 'plugins'
  | 'themes'
  | 'core'
  | 'posts'
  | 'pages'
  | 'users'
  | 'comments'
  | 'menus'
  | 'media';

type ActivityTypesByAction = Readonly<Record<string, readonly string[]>>;

const contentChangeTypes = (context: 'post' | 'page'): ActivityTypesByAction => ({
  created: [`${context}.created`],
  // Changes of the visibility and the publication time count as updates.
  updated: ['updated', 'published', 'scheduled', 'unpublished'].map((action) => `${context}.${action}`),
  trashed: [`${context}.trashed`],
  deleted: [`${context}.deleted`],
  restored: [`${context}.restored`],
});

const inventoryChangeTypes = (context: 'plugin' | 'theme', actions: readonly string[]): ActivityTypesByAction =>
  Object.fromEntries(actions.map((action) => [action, [`${context}.${action}`]]));

/** Change types of each segment. No type appears twice, so that no change is counted twice. */
export const ACTIVITY_CHANGE_TYPES: Readonly<Record<ActivitySegment, ActivityTypesByAction>> = {
  plugins: inventoryChangeTypes('plugin', ['installed', 'activated', 'deactivated', 'updated', 'edited', 'deleted']),
  themes: inventoryChangeTypes('theme', ['installed', 'activated', 'updated', 'edited', 'deleted']),
  core: { updated: ['wordpress.updated'] },
  posts: contentChangeTypes('post'),
  pages: contentChangeTypes('page'),
  users: {
    created: ['user.created'],
    updated: ['user.updated', 'user.role_changed', 'user.password_changed', 'user.revoked'],
    deleted: ['user.deleted'],
  },
  comments: {
    created: ['comment.created'],
    updated: ['comment.updated', 'comment.unspammed'],
    edited: ['comment.edited'],
    replied: ['comment.replied'],
    approved: ['comment.approved'],
    unapproved: ['comment.unapproved'],
    trashed: ['comment.trashed'],
    spam: ['comment.spammed'],
    restored: ['comment.restored'],
    deleted: ['comment.deleted'],
  },
  menus: { created: ['menu.created'], updated: ['menu.updated'], deleted: ['menu.deleted'] },
  media: { uploaded: ['file.uploaded'], updated: ['file.updated'], deleted: ['file.deleted'] },
};
