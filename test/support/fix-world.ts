import type { SimulatedSite } from '../../src/sandbox/index.ts';
import { ALPHA_FILE, putAlpha, TestDirectory, type Alpha } from './packages.ts';
import { editSettings } from './settings.ts';
import { FeedServer, refreshFeeds, useWordfenceFeed, wordfenceFeed, type Advisory } from './vulnerabilities.ts';
import { startWorld, type World } from './world.ts';

// The contract check has already seen the bodies.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export const HOLE: Advisory = { slug: 'rig-alpha', upTo: '1.0', patched: ['1.1'], score: 9.8 };
export const UNFIXED: Advisory = { ...HOLE, patched: [] };

export interface AlphaSite {
  id: number;
  site: SimulatedSite;
}

/** World with a feed and a plugin directory, whose sites have a plugin that advisories can name. */
export class FixWorld {
  readonly world: World;
  readonly #feed: FeedServer;
  readonly #directory: TestDirectory;

  private constructor(world: World, feed: FeedServer, directory: TestDirectory) {
    this.world = world;
    this.#feed = feed;
    this.#directory = directory;
  }

  static async start(): Promise<FixWorld> {
    const [directory, feed] = [await TestDirectory.start(), await FeedServer.start()];
    for (const version of ['1.0', '1.1', '1.2']) await directory.release('plugin', 'rig-alpha', version);
    const overrides = { allowHttpGuards: true, deadlines: { pageAgainMs: 5, lookAgainMs: [2_000] }, tickMs: null };
    const world = await startWorld({
      sites: 6,
      connect: 0,
      overrides,
      env: { SITEFLEET_DIRECTORY_URL: directory.url },
    });
    await useWordfenceFeed(world, feed);
    return new FixWorld(world, feed, directory);
  }

  async close(): Promise<void> {
    await this.world.close();
    await this.#feed.close();
    this.#directory.close();
  }

  /** Connects a site that has the plugin and is offered no update of anything. */
  async connect(alpha?: Alpha): Promise<AlphaSite> {
    const connected = await this.world.freshSite((site) => {
      putAlpha(site, alpha);
      for (const plugin of site.state.plugins.values()) plugin.update = null;
      for (const theme of site.state.themes.values()) theme.update = null;
      site.state.core.update = null;
      site.state.translations = [];
      site.touch();
    });
    connected.site.requests.length = 0;
    return connected;
  }

  async publish(...advisories: Advisory[]): Promise<void> {
    this.#feed.content = wordfenceFeed(...advisories);
    await refreshFeeds(this.world);
  }

  switchOn(settings: object = {}): Promise<unknown> {
    return editSettings(this.world, 'vulnerabilities', { auto_fix: 1, auto_fix_rings: [], ...settings });
  }

  /** Runs the schedule and the jobs that it starts. Returns the jobs. */
  async work(): Promise<Json[]> {
    const { body } = await this.world.request('POST', '/api/v2/schedules/vulnerability-fixes/run');
    if (body.data === null) return [];
    await this.world.finishedJob(body.data.job_id);
    return this.finish();
  }

  async finish(): Promise<Json[]> {
    const ofType = async (type: string) => (await this.world.request('GET', `/api/v2/jobs?type=${type}`)).body.data;
    const data = [...(await ofType('fix-vulnerability')), ...(await ofType('switch-vulnerable-plugin'))];
    return Promise.all(data.map(({ job_id }: Json) => this.world.finishedJob(job_id)));
  }

  async fixes(query = ''): Promise<Json[]> {
    return (await this.world.request('GET', `/api/v2/vulnerabilities/fixes?orderby=site&order=asc${query}`)).body.data;
  }

  async run(body: object = {}): Promise<Json> {
    return (await this.world.request('POST', '/api/v2/vulnerabilities/fixes/run', { body })).body;
  }

  /** Makes all fixes due that wait for their next attempt. */
  async retryNow(): Promise<void> {
    await this.world.container.database.knex('vulnerability_fixes').whereNotNull('retry_at').update({ retry_at: 1 });
  }
}

export const isAlphaActive = ({ site }: AlphaSite): boolean | undefined => site.state.plugins.get(ALPHA_FILE)?.active;
