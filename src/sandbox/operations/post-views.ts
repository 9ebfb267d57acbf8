import type { Post } from '../state/site-state.ts';
import { toSqlDate, type Call } from './call.ts';
import { recordForReport } from './logs.ts';
import { isReportsPluginActive } from './plugins.ts';

export function linkOf(post: Post, siteUrl: string): string {
  if (post.status === 'publish' && post.name !== '') return `${siteUrl}/${post.name}/`;
  return `${siteUrl}/?${post.type === 'page' ? 'page_id' : 'p'}=${post.id}`;
}

export function postData(post: Post, oldStatus: string): Record<string, unknown> {
  return {
    post_type: post.type,
    post_title: post.title,
    post_date: toSqlDate(post.date),
    post_date_gmt: post.dated ? toSqlDate(post.date) : '0000-00-00 00:00:00',
    new_status: post.status,
    old_status: oldStatus,
    singular_name: post.type === 'page' ? 'page' : 'post',
  };
}

export function reportPost(call: Call, post: Post, action: string): void {
  recordForReport(call, post.type, action, { title: post.title }, isReportsPluginActive(call.state));
}
