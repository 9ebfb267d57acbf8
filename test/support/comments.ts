import type { SimulatedSite } from '../../src/sandbox/index.ts';

export type SandboxStatus = 'approve' | 'hold' | 'spam' | 'trash';

/** Converts `2026-11-21T10:00:00Z` to seconds. */
const at = (iso: string): number => Date.parse(iso) / 1000;

/** Replaces all comments of a site by these, by their IDs. */
export function setComments(
  site: SimulatedSite,
  comments: Record<number, { status: SandboxStatus; date?: string; content?: string; email?: string; url?: string }>,
): void {
  const { state } = site;
  const post = [...state.posts.values()][0];
  state.comments.clear();
  for (const [key, { status, date = '2026-11-20T12:00:00Z', content = '', email = '', url = '' }] of Object.entries(
    comments,
  ))
    state.comments.set(Number(key), {
      id: Number(key),
      postId: post?.id ?? 0,
      author: `Visitor ${key}`,
      email,
      url,
      ip: '',
      content,
      status,
      previous: 'approve',
      date: at(date),
    });
  site.touch();
}

export const statusOf = (site: SimulatedSite, id: number): SandboxStatus | undefined =>
  site.state.comments.get(id)?.status;
