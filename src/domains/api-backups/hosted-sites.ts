import { endLongTurn } from '../../shared/event-loop.ts';
import type { HostingInstance } from './provider.ts';

export interface HostedSite {
  id: number;
  url: string;
}

const bareHost = (host: string): string => host.toLowerCase().replace(/^www\./, '');

function addTo(map: Map<string, number[]>, key: string, id: number): void {
  const ids = map.get(key);
  if (ids) ids.push(id);
  else map.set(key, [id]);
}

/** The IDs of sites by address and by host, so that the URLs are not parsed again for each server of a provider. */
export class HostedSites {
  readonly #byAddress = new Map<string, number[]>();
  readonly #byHost = new Map<string, number[]>();

  /** A site without an address, or with an empty one, is only found by its host. */
  static async from(sites: readonly HostedSite[], addresses: ReadonlyMap<number, string>): Promise<HostedSites> {
    const hosted = new HostedSites();
    for (const { id, url } of sites) {
      await endLongTurn();
      addTo(hosted.#byHost, bareHost(new URL(url).hostname), id);
      const address = addresses.get(id);
      if (address) addTo(hosted.#byAddress, address, id);
    }
    return hosted;
  }

  on({ addresses, hosts }: Pick<HostingInstance, 'addresses' | 'hosts'>): Set<number> {
    return new Set([
      ...addresses.flatMap((address) => this.#byAddress.get(address) ?? []),
      ...hosts.flatMap((host) => this.#byHost.get(bareHost(host)) ?? []),
    ]);
  }
}
