/** Aborts a list with a signal, and limits the time of a call including its retries. */
import { createClient, TimeoutError } from '@sitefleet/sdk';

const fleet = createClient({ url: process.env['SITEFLEET_URL']!, key: process.env['SITEFLEET_KEY'] });

const controller = new AbortController();
const { signal } = controller;
let seen = 0;
try {
  for await (const site of fleet.items('list-sites-v1', { per_page: 1 }, { signal })) {
    console.log(site.url);
    if (++seen === 2) controller.abort(new Error('seen enough'));
  }
} catch (error) {
  console.log((error as Error).message);
}

await fleet
  .ability('sync-sites-v1', {}, { timeoutMs: 1 })
  .catch((error: unknown) => console.log(error instanceof TimeoutError ? 'took too long' : error));
