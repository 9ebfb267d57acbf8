import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { newUser } from '../../../src/sandbox/state/generate-content.ts';
import type { RecordingCase } from './recording-case.ts';
import { base64Json, sendSigned, type Form } from './dashboard.ts';

const simple = (name: string, form: Form, prepare?: RecordingCase['prepare']): RecordingCase => ({
  ...(prepare && { prepare }),
  request: (site) => sendSigned(site, name, form),
});

/** Adds the users of the recorded site. Four of them have custom roles, no role or two. */
export function addPeople({ state }: SimulatedSite): void {
  const [admin] = state.users;
  if (admin === undefined) throw new Error('no administrator');
  state.roles.push('shop_manager', 'customer');
  const named = (id: number, login: string, role: string, ...furtherRoles: string[]) =>
    newUser({ id, login, email: `${login}@example.com`, role, furtherRoles, registered: 1_795_305_000 });
  state.users = [
    { ...admin, id: 1 },
    named(2, 'editor1', 'editor'),
    { ...named(3, 'zweiter', 'administrator'), displayName: 'Zweite Person' },
    named(4, 'shopone', 'shop_manager'),
    named(5, 'custone', 'customer'),
    named(6, 'norole', ''),
    named(7, 'tworoles', 'editor', 'author'),
    named(8, 'subone', 'subscriber'),
  ];
}

const POST = 5;
const COLUMNS = 'user_login,display_name,user_email';

/** Returns a draft that a user began to edit this number of seconds ago. */
export const lockedBy =
  (user: number, age: number) =>
  (site: SimulatedSite): void => {
    addPeople(site);
    const [any] = site.state.posts.values();
    if (any === undefined) throw new Error('no post');
    const at = Math.floor(site.now() / 1000) - age;
    const meta = { _edit_lock: [`${at}:${user}`] };
    const shown = { id: POST, type: 'post', status: 'draft', title: 'locked', dated: false, meta };
    site.state.posts.set(POST, { ...any, ...shown, categories: ['Uncategorized'], name: '' });
  };

const written = (more: Form): Form => ({
  new_post: base64Json({ post_title: 'by us', post_content: 'c', post_status: 'draft', post_type: 'post', ...more }),
});
const edit = (user: number, age: number): RecordingCase =>
  simple('newpost', written({ ID: POST }), lockedBy(user, age));
const postAction = (action: string, more: Form = {}): RecordingCase =>
  simple('post_action', { action, id: POST, ...more }, lockedBy(3, 5));
const user = (action: string, id: number, more: Form = {}): RecordingCase =>
  simple('user_action', { action, id, ...more }, addPeople);
const users = (form: Form): RecordingCase => simple('get_all_users', form, addPeople);
const found = (form: Form): RecordingCase => simple('search_users', form, addPeople);
const created = (more: Form): RecordingCase =>
  simple(
    'newuser',
    { new_user: base64Json({ user_login: 'fresh', user_pass: 'x', role: 'author', ...more }) },
    addPeople,
  );

function orphaned(site: SimulatedSite): void {
  const [post] = site.state.posts.values();
  if (post === undefined) throw new Error('no post');
  post.authorId = 999;
}

export const USER_AND_CONTENT_CASES: Record<string, RecordingCase> = {
  'newpost-create': simple('newpost', written({})),
  'newpost-edit': edit(0, 0),
  'newpost-locked': edit(3, 5),
  'newpost-locked-140s': edit(3, 140),
  'newpost-lock-160s-old': edit(3, 160),
  'newpost-own-lock': edit(1, 6),
  'get_edit-no-lock': simple('post_action', { action: 'get_edit', id: POST, post_type: 'post' }, (site) => {
    lockedBy(3, 5)(site);
    const post = site.state.posts.get(POST);
    if (post) post.meta = {};
  }),
  'get_edit-takes-over-lock': postAction('get_edit', { post_type: 'post' }),
  'get_edit-missing-author': simple('post_action', { action: 'get_edit', id: 1, post_type: 'post' }, orphaned),
  'post_action-update-locked': postAction('update', {
    post_data: { ID: POST, post_title: 'A & B', post_excerpt: 'A & B' },
  }),
  'post_action-publish-locked': postAction('publish'),
  'post_action-unpublish-locked': postAction('unpublish'),
  'post_action-trash-locked': postAction('trash'),
  'posts-missing-author': simple('get_all_posts', { status: 'publish', maxRecords: 5 }, orphaned),
  'comments-author-url': simple('get_all_comments', { status: 'approve', maxRecords: 3 }),
  'users-get_all-five-roles': users({ role: 'administrator,editor,author,contributor,subscriber' }),
  'users-get_all-custom': users({ role: 'shop_manager,customer' }),
  'users-get_all-empty-role': users({ role: '' }),
  'users-get_all-no-role': users({}),
  'users-search-empty': found({ search: '', search_columns: COLUMNS }),
  'users-search-role': found({ search: '', search_columns: COLUMNS, role: 'shop_manager' }),
  'users-search-two-roles': found({ search: '', search_columns: 'user_login', role: 'editor,author' }),
  'users-search-star': found({ search: '*' }),
  'users-search-login': found({ search: '*one*', search_columns: 'user_login' }),
  'users-search-none': found({ search: 'nobody', search_columns: COLUMNS }),
  'user-edit-norole': user('edit', 6),
  'user-edit-two-roles': user('edit', 7),
  'user-edit-read': user('edit', 2),
  update_user: user('update_user', 2, { extra: { first_name: '  x  ' } }),
  'update_user-bad-email': user('update_user', 2, { extra: { email: 'nomail' } }),
  'update_user-missing': user('update_user', 99_999, { extra: { first_name: 'x' } }),
  'update_user-taken-email': user('update_user', 2, { extra: { email: 'zweiter@example.com' } }),
  newuser: created({ user_email: 'fresh@example.com' }),
  'newuser-empty-email': created({ user_email: '' }),
  'newuser-taken-email': created({ user_email: 'zweiter@example.com' }),
  'newuser-taken-login': created({ user_login: 'zweiter' }),
  'changeRole-unknown': user('changeRole', 8, { extra: 'nonsense' }),
  'changeRole-two-roles': user('changeRole', 7, { extra: 'author' }),
  'user-delete-missing': user('delete', 99_999),
  'user-delete-self': user('delete', 1),
  'call-after-administrator-was-deleted': {
    prepare: (site) => sendSigned(site, 'user_action', { action: 'delete', id: 1 }),
    request: (site) => sendSigned(site, 'stats'),
  },
};
