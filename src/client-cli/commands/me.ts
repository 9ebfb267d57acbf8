import type { Command as Commander } from 'commander';
import type { AddCommand } from '../options.ts';

export function meCommand(program: Commander, add: AddCommand): void {
  add(program, 'me', 'show the credential in use and what it may do', async (command) => {
    const fleet = await command.fleet();
    const { data } = await fleet.route('me_get', {}, command.call);
    const { user, credential, permissions, site_limits, rate_limit } = data;
    const fields = {
      ...{ user: user.name, role: user.role },
      ...{ credential: `${credential.kind} ${credential.id}`, label: credential.label, hint: credential.hint },
      ...{ scope: credential.scope, expires_at: credential.expires_at },
      allowed_addresses: credential.allowed_addresses?.join(', ') ?? 'all',
      last_used_at: credential.last_used_at,
      permissions: permissions.join(', '),
      sites: site_limits.length === 0 ? 'all' : site_limits.map(describeLimit).join(', and '),
      rate_limit: rate_limit ? `${rate_limit.limit} calls per minute, ${rate_limit.remaining} left` : 'none',
    };
    command.print(data, () => command.fields(fields));
  });
}

function describeLimit(limit: { clients: number[]; tags: number[]; sites: number[] }): string {
  const named = Object.entries(limit).filter(([, ids]) => ids.length > 0);
  return named.length === 0 ? 'none' : named.map(([kind, ids]) => `${kind} ${ids.join(', ')}`).join(' or ');
}
