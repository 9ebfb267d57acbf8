import { Readable } from 'node:stream';
import type { OutcomeStream, SelectedSites, SiteOutcome } from '../../domains/fleet-reads/index.ts';
import type { ItemError } from '../../shared/item-error.ts';

/** Maximum size of results that wait for an earlier slow site. Above it, no further site is called. */
const MAX_BUFFERED_CHARACTERS = 32 * 1024 * 1024;

/**
 * Streams `{success, data: {<site URL>: […]}, errors: […]}`, ordered like `sites`. A result that arrives early is
 * buffered as text until the sites before it are written. A written result is released, so that a response about a
 * large fleet needs little memory.
 */
export function streamBySite<T>(
  { sites, errors }: SelectedSites,
  outcomes: OutcomeStream<T>,
  view: (value: T, site: SiteOutcome<T>['site']) => unknown[],
): { body: Readable; contentType: string } {
  async function* text(): AsyncGenerator<string> {
    const failed = new Map<number, ItemError>();
    const early = new Map<number, string | null>();
    const inOrder = sites.map(({ site }) => site.id);
    let next = 0;
    let waiting = 0;
    let separator = '';
    yield '{"success":1,"data":{';
    for await (const outcome of outcomes(() => waiting > MAX_BUFFERED_CHARACTERS)) {
      const { site } = outcome;
      if ('error' in outcome) failed.set(site.id, outcome.error);
      const entry =
        'error' in outcome ? null : `${JSON.stringify(site.url)}:${JSON.stringify(view(outcome.value, site))}`;
      early.set(site.id, entry);
      waiting += entry?.length ?? 0;
      for (let id = inOrder[next]; id !== undefined && early.has(id); id = inOrder[++next]) {
        const text = early.get(id);
        early.delete(id);
        if (text == null) continue;
        waiting -= text.length;
        yield separator + text;
        separator = ',';
      }
    }
    const ordered = [...errors, ...inOrder.flatMap((id) => failed.get(id) ?? [])];
    yield `},"errors":${JSON.stringify(ordered)}}`;
  }
  return { body: Readable.from(text()), contentType: 'application/json' };
}
