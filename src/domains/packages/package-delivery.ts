import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Knex } from 'knex';
import { DAY, MINUTE, type Clock } from '../../shared/clock.ts';
import { DeliveryRepository } from './delivery-repository.ts';
import { sha256Of } from './package-files.ts';
import { PackageRepository } from './package-repository.ts';
import type { PackageService } from './package-service.ts';

const VALID_FOR = 5 * MINUTE;
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;
/** Content of an address without a package. It is no zip, so that the site installs nothing. */
const NO_PACKAGE = Buffer.from('This is no package.');

/** Address of this service from which one site downloads a package. `token` is the secret part. */
export interface Delivery {
  token: string;
  url: string;
}

export interface DeliveredContent {
  size: number;
  /** Null for HEAD. */
  content: Readable | null;
}

export interface PackageDeliveryDeps {
  knex: Knex;
  clock: Clock;
  packages: PackageService;
  publicUrl: string;
}

/** Gives sites addresses that are valid for five minutes and two fetches. Only the hash of a token is stored. */
export class PackageDelivery {
  readonly #deps: PackageDeliveryDeps;

  constructor(deps: PackageDeliveryDeps) {
    this.#deps = deps;
  }

  /**
   * Issues an address. Without a package, the address returns a text that is no zip. Throws `svc_package_not_found` for
   * a deleted package.
   */
  async issue(siteId: number, packageId: number | null): Promise<Delivery> {
    try {
      return await this.#issue(siteId, { packageId, content: null });
    } catch (error) {
      // The new row refers to the package, so its insertion fails if the package was deleted.
      if (packageId !== null) await new PackageRepository(this.#deps.knex).get(packageId);
      throw error;
    }
  }

  /** Issues an address that returns a text. The text must contain no secret, because it is stored as it is. */
  issueText(siteId: number, content: string): Promise<Delivery> {
    return this.#issue(siteId, { packageId: null, content });
  }

  async #issue(siteId: number, delivered: { packageId: number | null; content: string | null }): Promise<Delivery> {
    const { clock, publicUrl } = this.#deps;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const now = clock.now();
    const delivery = { tokenHash: sha256Of(token), ...delivered, siteId, expiresAt: now + VALID_FOR };
    await this.#repository.insert(delivery, now);
    return { token, url: `${publicUrl}/packages/${token}` };
  }

  /** Returns null if the address is not valid. A request with HEAD is not counted, and gets the size alone. */
  async open(token: string, { isCounted }: { isCounted: boolean }): Promise<DeliveredContent | null> {
    if (!TOKEN.test(token)) return null;
    const { knex, clock, packages } = this.#deps;
    const [tokenHash, now] = [sha256Of(token), clock.now()];
    const isOpen = await (isCounted
      ? this.#repository.claim(tokenHash, now)
      : this.#repository.isValid(tokenHash, now));
    const delivery = isOpen ? await this.#repository.find(tokenHash) : null;
    if (!delivery) return null;
    if (delivery.packageId === null) {
      const bytes = delivery.content === null ? NO_PACKAGE : Buffer.from(delivery.content);
      return { size: bytes.length, content: isCounted ? Readable.from([bytes], { objectMode: false }) : null };
    }
    const stored = await new PackageRepository(knex).get(delivery.packageId);
    if (!isCounted) return { size: stored.size, content: null };
    const { size, content } = await packages.open(stored);
    return { size, content: content() };
  }

  async end({ token }: Delivery): Promise<number> {
    const tokenHash = sha256Of(token);
    await this.#repository.revoke(tokenHash, this.#deps.clock.now());
    return (await this.#repository.find(tokenHash))?.fetches ?? 0;
  }

  prune(most: number): Promise<number> {
    return this.#repository.prune(this.#deps.clock.now() - DAY, most);
  }

  get #repository(): DeliveryRepository {
    return new DeliveryRepository(this.#deps.knex);
  }
}
