/** Sentences about the time that an operation takes because it calls sites. */
import type { OperationEntry } from './entries.ts';

const GUIDE = '([Requests to sites](/guides/limits#requests-to-sites))';

/** Deletions notify the site, but do not fail if it cannot be reached. */
const NOTIFIES_SITE: ReadonlySet<string> = new Set(['delete-site-v1', 'sites_remove']);

export function siteCallFacts({ id, part, place, description }: OperationEntry): string[] {
  if (description.includes('`svc_still_running`'))
    return ['Runs as a [job](/guides/jobs), which continues if the client disconnects.'];
  const fails = place.operation['x-errors']?.includes('svc_site_unreachable') ?? false;
  return fails || NOTIFIES_SITE.has(id) ? [`${timeoutOf(part)} ${GUIDE}.`] : [];
}

function timeoutOf(part: string): string {
  if (part === 'pro-reports') return 'The site has 60 seconds to respond, including the wait for other requests to it';
  const wait = 'after a wait without a limit for other requests to it';
  if (part === 'packages') return `The site has 15 minutes to respond, ${wait}`;
  return part === 'updates'
    ? `Each update has 15 minutes, and each other request to the site 120 seconds, ${wait}`
    : `Each request to the site has 120 seconds, ${wait}`;
}
