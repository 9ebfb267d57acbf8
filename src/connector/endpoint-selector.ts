import type { ChildTarget, Endpoint } from './child-site.ts';

/** Selects the endpoint for calls to a site (protocol 1.1). The child responds at both, but one may be blocked. */
export interface EndpointSelector {
  of(target: ChildTarget): { first: EndpointAddress; other: EndpointAddress | null };
  recordSuccess(target: ChildTarget, endpoint: Endpoint): void;
  recordFailure(target: ChildTarget): void;
  forget(siteId: number): void;
}

export interface EndpointAddress {
  endpoint: Endpoint;
  url: string;
}

function adminAjaxUrlOf(siteUrl: string): string {
  const url = siteUrl.endsWith('/') ? siteUrl : `${siteUrl}/`;
  return url.includes('wp-admin') ? siteUrl : `${url}wp-admin/admin-ajax.php`;
}

/**
 * `remember` stores an endpoint in the site's record, for other processes and restarts. Until the record is read again,
 * the newer endpoint is in memory.
 */
export function createEndpointSelector(remember: (siteId: number, endpoint: Endpoint) => void): EndpointSelector {
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
      const ajax: EndpointAddress = { endpoint: 'ajax', url: adminAjaxUrlOf(target.url) };
      if (ajax.url === target.url) return { first: ajax, other: null };
      const front: EndpointAddress = { endpoint: 'front', url: target.url };
      return known(target) === 'front' ? { first: front, other: ajax } : { first: ajax, other: front };
    },
    recordSuccess: learn,
    recordFailure: (target) => learn(target, 'ajax'),
    forget: (siteId) => void learnt.delete(siteId),
  };
}
