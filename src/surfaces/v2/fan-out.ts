import { Readable } from 'node:stream';
import type { SelectedSites, SiteOutcome } from '../../domains/fleet-reads/index.ts';

/**
 * `{success, data: {<site URL>: […]}, errors: […]}`, written as the sites answer: what has been written is forgotten, so that
 * the answer of a large fleet takes no more memory than that of a small one.
 */
export function keyedBySite<T>(
  { errors }: SelectedSites,
  outcomes: AsyncIterable<SiteOutcome<T>>,
  view: (value: T, site: SiteOutcome<T>['site']) => unknown[],
): { body: Readable; contentType: string } {
  async function* text(): AsyncGenerator<string> {
    const failed = [...errors];
    let separator = '';
    yield '{"success":1,"data":{';
    for await (const outcome of outcomes) {
      if ('error' in outcome) {
        failed.push(outcome.error);
        continue;
      }
      const { site, value } = outcome;
      yield `${separator}${JSON.stringify(site.url)}:${JSON.stringify(view(value, site))}`;
      separator = ',';
    }
    yield `},"errors":${JSON.stringify(failed)}}`;
  }
  return { body: Readable.from(text()), contentType: 'application/json' };
}
