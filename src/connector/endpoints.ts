import type { ChildTarget, Endpoint } from './child-site.ts';

/** Which of its two addresses a site is called at (protocol 1.1): the child answers at both, but one may be closed. */
export interface Endpoints {
  /** The address to begin with, and the other one; a site whose URL leads into wp-admin has no other. */
  of(target: ChildTarget): { first: Address; other: Address | null };
  /** The site answers at this one. */
  works(target: ChildTarget, endpoint: Endpoint): void;
  /** The one that was remembered has stopped working: the next call begins with the usual one. */
  fails(target: ChildTarget): void;
  forget(siteId: number): void;
}

export interface Address {
  endpoint: Endpoint;
  url: string;
}

/** POST target of a site: its AJAX endpoint, unless the URL already points into wp-admin (protocol 1.1). */
function endpointOf(siteUrl: string): string {
  const url = siteUrl.endsWith('/') ? siteUrl : `${siteUrl}/`;
  return url.includes('wp-admin') ? siteUrl : `${url}wp-admin/admin-ajax.php`;
}

/**
 * `remember` keeps on the record of the site what was learnt here, for other processes and for after a restart; until
 * the record is read again the newer knowledge is in memory.
 */
export function createEndpoints(remember: (siteId: number, endpoint: Endpoint) => void): Endpoints {
  const learnt = new Map<number, Endpoint>();

  const known = ({ siteId, endpoint }: ChildTarget): Endpoint =>
    (siteId === null ? undefined : learnt.get(siteId)) ?? endpoint ?? 'ajax';

  function learn(target: ChildTarget, endpoint: Endpoint): void {
    const { siteId } = target;
    if (siteId === null || known(target) === endpoint) return;
    learnt.set(siteId, endpoint);
    if (!target.reads) remember(siteId, endpoint);
  }

  return {
    of(target) {
      const ajax: Address = { endpoint: 'ajax', url: endpointOf(target.url) };
      if (ajax.url === target.url) return { first: ajax, other: null };
      const front: Address = { endpoint: 'front', url: target.url };
      return known(target) === 'front' ? { first: front, other: ajax } : { first: ajax, other: front };
    },
    works: learn,
    fails: (target) => learn(target, 'ajax'),
    forget: (siteId) => void learnt.delete(siteId),
  };
}
