import assert from 'node:assert/strict';
import qs from 'qs';
import type { World } from './world.ts';

// Responses of the compatibility mount have no contract of ours.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export const ABILITIES_MOUNT = '/wp-json/wp-abilities/v1';
export const ROUTES_MOUNT = '/wp-json/mainwp/v2';

interface CatalogueEntry {
  name: string;
  label: string;
  description: string;
  category: string;
  input_schema: Json;
  output_schema: Json;
  meta: { annotations: { readonly: boolean; destructive: boolean; idempotent: boolean; instructions?: string } };
}

/** Calls as the MCP client of the established product does: it reads the catalogue and no documentation. */
export class CompatMcpClient {
  readonly #world: World;
  readonly #abilities = new Map<string, CatalogueEntry>();

  private constructor(world: World) {
    this.#world = world;
  }

  static async start(world: World): Promise<CompatMcpClient> {
    const client = new CompatMcpClient(world);
    for (let page = 1, pages = 1; page <= pages && page <= 50; page++) {
      const answer = await world.request('GET', `${ABILITIES_MOUNT}/abilities?per_page=100&page=${page}`, JSON_HEADER);
      assert.ok(Array.isArray(answer.body), 'The catalogue is a bare array.');
      for (const entry of answer.body as CatalogueEntry[]) client.#abilities.set(entry.name, entry);
      pages = Number(answer.headers['x-wp-totalpages'] ?? 1);
    }
    return client;
  }

  get catalogue(): CatalogueEntry[] {
    return [...this.#abilities.values()];
  }

  entry(name: string): CatalogueEntry {
    return this.#abilities.get(`mainwp/${name}`) ?? assert.fail(`The catalogue has no mainwp/${name}.`);
  }

  methodOf(name: string): 'GET' | 'DELETE' | 'POST' {
    const { readonly, destructive, idempotent } = this.entry(name).meta.annotations;
    return readonly ? 'GET' : destructive && idempotent ? 'DELETE' : 'POST';
  }

  async run(name: string, input: Record<string, unknown> = {}, expect = 200): Promise<Json> {
    const path = `${ABILITIES_MOUNT}/abilities/mainwp/${name}/run`;
    const method = this.methodOf(name);
    if (method === 'POST')
      return (await this.#world.request('POST', path, { ...JSON_HEADER, expect, body: { input } })).body;
    const query = Object.keys(input).length
      ? `?${qs.stringify({ input }, { arrayFormat: 'brackets', encodeValuesOnly: true })}`
      : '';
    return (await this.#world.request(method, path + query, { ...JSON_HEADER, expect })).body;
  }
}

/** The client sends this with every request, even without a body. */
const JSON_HEADER = { headers: { 'content-type': 'application/json' } };

/** Calls as the n8n node does: with a key, JSON bodies, and its own way to read a response. */
export class N8nNode {
  readonly #world: World;
  readonly #key: string;

  private constructor(world: World, key: string) {
    this.#world = world;
    this.#key = key;
  }

  static async start(world: World, scope: 'read' | 'write' | 'read_write' = 'read_write'): Promise<N8nNode> {
    const { access } = world.container.services.access;
    const user = await access.createUser({ name: `n8n-${scope}`, role: 'administrator' }, 'test');
    const { secret } = await access.keys.create({ userId: user.id, label: scope, scope, expiresAt: null }, 'test');
    return new N8nNode(world, secret);
  }

  /**
   * Returns the data as the node does: `success: 0` is an error, and `data` is taken out of a response with both
   * fields.
   */
  async call(method: string, path: string, body?: unknown, expect = 200): Promise<Json> {
    const answer = await this.#world.request(method, ROUTES_MOUNT + path, {
      headers: { authorization: `Bearer ${this.#key}`, accept: 'application/json' },
      expect,
      ...(body === undefined ? {} : { body }),
    });
    const read = answer.body;
    if (typeof read === 'object' && read !== null && 'success' in read)
      assert.notEqual(Number(read.success), 0, `${method} ${path} says that it failed: ${JSON.stringify(read)}`);
    return expect === 200 && read?.success !== undefined && read?.data !== undefined ? read.data : read;
  }

  /** Reads pages of a hundred, as the node does for arrays. */
  async all(path: string, query: Record<string, unknown> = {}): Promise<Json[]> {
    const items: Json[] = [];
    for (let page = 1; ; page++) {
      const search = qs.stringify({ ...query, page, per_page: 100 });
      const { body } = await this.#world.request('GET', `${ROUTES_MOUNT}${path}?${search}`, {
        headers: { authorization: `Bearer ${this.#key}` },
      });
      assert.ok(Array.isArray(body.data), `${path} does not answer an array.`);
      items.push(...body.data);
      if (body.data.length < 100 || page >= (body.pages ?? 1)) return items;
    }
  }
}
