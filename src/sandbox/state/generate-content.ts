import type { Random } from './random.ts';
import type { Category, Comment, Post, SiteState, User } from './site-state.ts';

const DAY = 86_400;
const SUBJECTS = [
  'Opening hours',
  'Our new office',
  'Spring sale',
  'Team trip',
  'How we work',
  'News of the month',
] as const;
const TAGS = ['events', 'team', 'offers', 'how-to'] as const;
const PARAGRAPH = '<!-- wp:paragraph -->\n<p>Text of a page on a simulated site.</p>\n<!-- /wp:paragraph -->';
const WELCOME =
  'Hi, this is a comment.\nTo get started with moderating, editing, and deleting comments, please visit the Comments screen in the dashboard.';

type GeneratedContent = Pick<
  SiteState,
  'users' | 'networkUsers' | 'roles' | 'posts' | 'comments' | 'categories' | 'nextId'
>;

interface ContentGenerationOptions {
  index: number;
  now: number;
  title: string;
  admin: string;
  adminPassword: string;
}

export function generateContent(random: Random, origin: ContentGenerationOptions): GeneratedContent {
  const started = origin.now - random.between(90, 900) * DAY;
  const users = generateUsers(random, origin, started);
  const categories: Category[] = [
    { id: 2, name: 'News', slug: 'news' },
    { id: 1, name: 'Uncategorized', slug: 'uncategorized' },
  ];
  const posts = new Map<number, Post>();
  const add = (post: Partial<Post> & Pick<Post, 'type' | 'status' | 'title' | 'date'>): void => {
    const id = posts.size + 1;
    posts.set(id, newPost({ id, authorId: 1, modified: post.date, ...post }));
  };
  add({ type: 'post', status: 'publish', title: 'Hello world!', date: started, categories: ['Uncategorized'] });
  add({ type: 'page', status: 'publish', title: 'Sample Page', date: started });
  add({ type: 'page', status: 'draft', title: 'Privacy Policy', date: started });
  for (let count = random.between(1, 6); count > 0; count -= 1) {
    const date = started + random.between(DAY, origin.now - started - DAY);
    const status = random.pick(['publish', 'publish', 'publish', 'pending', 'draft']);
    const dated = status !== 'draft';
    add({
      type: 'post',
      status,
      title: `${random.pick(SUBJECTS)} ${count}`,
      date,
      dated,
      modified: dated ? date : null,
      authorId: random.pick(users).id,
      categories: [random.pick(['News', 'Uncategorized'])],
      tags: random.some(TAGS, random.between(0, 2)),
    });
  }
  if (random.chance(0.5)) add({ type: 'page', status: 'publish', title: 'Contact', date: started + DAY });
  const comments = generateComments(random, [...posts.values()], started, origin);
  return {
    users,
    networkUsers: null,
    roles: [...ROLES],
    posts,
    comments,
    categories,
    nextId: { user: users.length + 1, post: posts.size + 1, comment: comments.size + 1, category: 3 },
  };
}

export function newPost(post: Partial<Post> & Pick<Post, 'id' | 'type' | 'status' | 'title' | 'date'>): Post {
  return {
    content: PARAGRAPH,
    excerpt: '',
    name: slugOf(post.title),
    password: '',
    dated: true,
    modified: post.date,
    authorId: 1,
    categories: [],
    tags: [],
    sticky: false,
    commentStatus: post.type === 'post' ? 'open' : 'closed',
    pingStatus: 'closed',
    featuredImage: '',
    meta: {},
    ...post,
  };
}

export function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/['"]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

export function newUser(user: Partial<User> & Pick<User, 'id' | 'login' | 'email' | 'role' | 'registered'>): User {
  return {
    displayName: user.login,
    firstName: '',
    lastName: '',
    nickname: user.login,
    url: '',
    description: '',
    furtherRoles: [],
    password: `${user.login}-pass`,
    passwordAuth: true,
    lastPasswordChange: null,
    sessionEpoch: 0,
    tokens: [],
    ...user,
  };
}

const ROLES = ['administrator', 'editor', 'author', 'contributor', 'subscriber'] as const;

export const rolesOf = ({ role, furtherRoles }: User): string[] => [role, ...furtherRoles].filter(Boolean);

function generateUsers(random: Random, origin: ContentGenerationOptions, registered: number): User[] {
  const email = (login: string): string => `${login}@site-${origin.index}.test`;
  const users = [
    newUser({
      id: 1,
      login: origin.admin,
      email: email(origin.admin),
      role: 'administrator',
      password: origin.adminPassword,
      registered,
    }),
    newUser({
      id: 2,
      login: 'editor1',
      email: email('editor1'),
      role: 'editor',
      registered,
      displayName: 'Ed Itor',
      firstName: 'Ed',
      lastName: 'Itor',
    }),
    newUser({ id: 3, login: 'author1', email: email('author1'), role: 'author', registered }),
  ];
  for (let count = random.between(0, 3); count > 0; count -= 1) {
    const id = users.length + 1;
    const login = `reader${id}`;
    users.push(newUser({ id, login, email: email(login), role: 'subscriber', registered: registered + id * DAY }));
  }
  return users;
}

function generateComments(
  random: Random,
  posts: Post[],
  started: number,
  origin: ContentGenerationOptions,
): Map<number, Comment> {
  const comments = new Map<number, Comment>();
  const add = (comment: Omit<Comment, 'id' | 'previous'>): void => {
    const id = comments.size + 1;
    const previous = comment.status === 'spam' || comment.status === 'trash' ? 'hold' : comment.status;
    comments.set(id, { id, previous, ...comment });
  };
  add({
    postId: 1,
    author: 'A WordPress Commenter',
    email: 'wapuu@wordpress.example',
    url: 'https://wordpress.org/',
    ip: '',
    content: WELCOME,
    status: 'approve',
    date: started,
  });
  const open = posts.filter((post) => post.type === 'post' && post.status === 'publish');
  for (let count = random.between(1, 6); count > 0; count -= 1) {
    const post = random.pick(open);
    add({
      postId: post.id,
      author: `Visitor ${count}`,
      email: `v${count}@example.test`,
      url: '',
      ip: `198.51.100.${random.between(1, 254)}`,
      content: `Comment ${count} on <em>${origin.title}</em>`,
      status: random.pick(['approve', 'approve', 'hold', 'spam', 'trash']),
      date: Math.min(post.date + random.between(0, 3 * DAY), origin.now - 60),
    });
  }
  return comments;
}
