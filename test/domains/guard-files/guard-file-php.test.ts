import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardFileSource } from '../../../src/domains/guard-files/guard-file-source.ts';
import { until } from '../../support/until.ts';

// Runs where PHP is installed.

const hasPhp = !process.env['TEST_DATABASE_URL'] && spawnSync('php', ['--version']).status === 0;

const ACTIVE = 'active_plugins';
const NETWORK_ACTIVE = 'active_sitewide_plugins';
const ALPHA = 'alpha/alpha.php';
const OTHER = 'other/other.php';

/** Serializes a list of plugins as PHP does. */
const list = (...plugins: string[]): string =>
  `a:${plugins.length}:{${plugins.map((name, index) => `i:${index};s:${name.length}:"${name}";`).join('')}}`;
const networkList = (...plugins: string[]): string =>
  `a:${plugins.length}:{${plugins.map((name) => `s:${name.length}:"${name}";i:1767225600;`).join('')}}`;

/** The parts of WordPress that the guard file uses, around a plugin. Each option is in a file of its own. */
const SITE = (root: string): string => `<?php
define( 'ABSPATH', '${root}/' );
define( 'WPINC', 'wp-includes' );
define( 'WP_CONTENT_DIR', '${root}/wp-content' );
define( 'WP_PLUGIN_DIR', WP_CONTENT_DIR . '/plugins' );
ini_set( 'display_errors', '0' );
$GLOBALS['footer'] = false;
class Options {
  public $options = 'wp_options';
  public $sitemeta = 'wp_sitemeta';
  function get_var( $sql ) { return preg_match( "/= '(\\w+)'/", $sql, $part ) ? file_get_contents( ABSPATH . $part[1] ) : ''; }
  function update( $table, $data, $where ) {
    $file = ABSPATH . ( $where['option_name'] ?? $where['meta_key'] );
    if ( file_get_contents( $file ) !== ( $where['option_value'] ?? $where['meta_value'] ) ) { return 0; }
    return file_put_contents( $file, reset( $data ) ) ? 1 : 0;
  }
}
$wpdb = new Options();
function is_multisite() { return '' !== file_get_contents( ABSPATH . '${NETWORK_ACTIVE}' ); }
function get_current_network_id() { return 1; }
function maybe_unserialize( $text ) { return unserialize( $text ); }
function wp_cache_delete() {}
function __return_true() { return true; }
function did_action( $name ) { return $GLOBALS['footer'] ? 1 : 0; }
foreach ( glob( WP_CONTENT_DIR . '/mu-plugins/*.php' ) as $file ) { include $file; }
$active = $wpdb->get_var( "= '${ACTIVE}'" ) . $wpdb->get_var( "= '${NETWORK_ACTIVE}'" );
if ( strpos( $active, '"${ALPHA}"' ) ) { include WP_PLUGIN_DIR . '/${ALPHA}'; } else { define( 'VERSION', 'nothing' ); }
echo 'page of ' . VERSION;
$GLOBALS['footer'] = true;
`;

interface Answer {
  ok: boolean;
  armed: boolean;
  restored: { cause: string; at: number; line?: number; message?: string } | null;
  now: number;
  error?: string;
}

(hasPhp ? describe : describe.skip)('PHP source of a guard file', () => {
  let root: string;
  let server: ChildProcess;
  let url: string;
  let guardId: string;
  let privateKey: KeyObject;
  let sequence = 0;

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'sitefleet-guard-'));
    await writeFile(join(root, 'site.php'), SITE(root));
    await activate(ALPHA);
    url = `http://127.0.0.1:${await freePort()}/`;
    server = spawn('php', ['-d', 'opcache.enable=0', '-S', new URL(url).host, join(root, 'site.php')], {
      stdio: 'ignore',
    });
    await putPlugin("define( 'VERSION', '1.0' );");
    await until(
      () =>
        fetch(url).then(
          () => true,
          () => false,
        ),
      'the server of PHP',
    );
  });
  after(async () => {
    server.kill();
    await once(server, 'exit');
    await rm(root, { recursive: true, force: true });
  });
  beforeEach(async () => {
    await rm(join(root, 'wp-content'), { recursive: true, force: true });
    await putPlugin("define( 'VERSION', '1.0' );");
    await mkdir(join(root, 'wp-content/mu-plugins'));
    await writeFile(join(root, 'wp-content/mu-plugins/other.php'), '<?php');
    await activate(ALPHA);
    await layFile();
  });

  const path = (...parts: string[]): string => join(root, 'wp-content', ...parts);
  const guardFile = (): string => path('mu-plugins', `sitefleet-guard-${guardId}.php`);
  const page = async (): Promise<[number, string]> => {
    const response = await fetch(url);
    return [response.status, await response.text()];
  };
  const leftovers = async (): Promise<string[]> =>
    [...(await readdir(path('plugins'))), ...(await readdir(path('mu-plugins')))].filter((name) => /guard/.test(name));

  async function putPlugin(code: string): Promise<void> {
    await mkdir(path('plugins/alpha/inc'), { recursive: true });
    await writeFile(path('plugins/alpha/alpha.php'), `<?php\n${code}\n`);
    await writeFile(path('plugins/alpha/inc/more.php'), '<?php // more');
  }

  /** Replaces the folder as WordPress does. */
  async function update(code: string): Promise<void> {
    await rm(path('plugins/alpha'), { recursive: true });
    await putPlugin(code);
  }

  async function activate(...plugins: string[]): Promise<void> {
    await writeFile(join(root, ACTIVE), list(...plugins));
    await writeFile(join(root, NETWORK_ACTIVE), '');
  }
  const optionIs = (name: string): Promise<string> => readFile(join(root, name), 'utf8');

  async function layFile(item: { activatedFile?: string } = {}): Promise<void> {
    const pair = generateKeyPairSync('ed25519');
    privateKey = pair.privateKey;
    guardId = randomBytes(16).toString('hex');
    const publicKey = pair.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex');
    await writeFile(guardFile(), guardFileSource({ guardId, kind: 'plugin', folder: 'alpha', ...item, publicKey }));
  }

  const numbered = (action: string): string => `${action} ${String(++sequence).padStart(16, '0')}`;

  async function send(message: string, key = privateKey): Promise<string> {
    const signature = sign(null, Buffer.from(`sitefleet-guard ${guardId} ${message}`), key).toString('hex');
    const fields = { sitefleet_guard: guardId, sitefleet_message: message, sitefleet_signature: signature };
    return (await fetch(url, { method: 'POST', body: new URLSearchParams(fields) })).text();
  }

  async function ask(message: string): Promise<Answer> {
    const [, frame = ''] = /<mainwp>(.+)<\/mainwp>/.exec(await send(message)) ?? [];
    return JSON.parse(Buffer.from(frame, 'base64').toString()) as Answer;
  }

  it('when the file is armed and removed, then nothing is left', async () => {
    assert.deepEqual((({ ok, armed }) => [ok, armed])(await ask(numbered('arm'))), [true, true]);
    assert.equal(await readFile(path(`plugins/.sitefleet-guard-${guardId}/old/inc/more.php`), 'utf8'), '<?php // more');
    assert.equal((await stat(path(`plugins/.sitefleet-guard-${guardId}`))).mode & 0o777, 0o700);
    assert.equal((await ask(numbered('remove'))).ok, true);
    assert.deepEqual(await leftovers(), []);
    assert.deepEqual(await page(), [200, 'page of 1.0']);
  });

  it('when a visitor comes while the copy is being deleted, then nothing is created in its folder', async () => {
    await ask(numbered('arm'));
    const folder = path(`plugins/.sitefleet-guard-${guardId}`);
    await rm(join(folder, 'lock'));
    assert.deepEqual(await page(), [200, 'page of 1.0']);
    assert.deepEqual((await readdir(folder)).toSorted(), ['old', 'state.json']);
  });

  const FAULTS = { 'a parse error': 'function {', 'a fatal error': "define( 'VERSION', '2.0' ); no_such_function();" };
  for (const [title, code] of Object.entries(FAULTS))
    it(`when the new version has ${title}, then the copy is put back without a request of the service`, async () => {
      await ask(numbered('arm'));
      await update(code);
      assert.equal((await page())[0], 500);
      await until(async () => (await page())[1] === 'page of 1.0', 'the old version');
      const { armed, restored, now } = await ask(numbered('state'));
      assert.deepEqual([armed, restored?.cause, restored?.line], [false, 'fatal', 2]);
      assert.ok(now >= (restored?.at ?? Infinity));
      await ask(numbered('remove'));
      assert.deepEqual(await leftovers(), []);
    });

  it('when the new version ends each request, then the copy is put back only when asked', async () => {
    await ask(numbered('arm'));
    await update('die();');
    assert.deepEqual(await page(), [200, '']);
    assert.equal((await ask(numbered('state'))).armed, true);
    assert.equal((await ask(numbered('restore'))).restored?.cause, 'asked');
    assert.deepEqual(await page(), [200, 'page of 1.0']);
  });

  it('when the folder of the plugin is read-only, then it is copied and put back with its mode', async () => {
    await chmod(path('plugins/alpha/inc'), 0o555);
    await chmod(path('plugins/alpha'), 0o555);
    assert.equal((await ask(numbered('arm'))).ok, true);
    await chmod(path('plugins/alpha'), 0o755);
    await chmod(path('plugins/alpha/inc'), 0o755);
    await update('die();');
    assert.equal((await ask(numbered('restore'))).ok, true);
    assert.equal((await stat(path('plugins/alpha'))).mode & 0o777, 0o555);
    await chmod(path('plugins/alpha'), 0o755);
    await chmod(path('plugins/alpha/inc'), 0o755);
    assert.equal((await ask(numbered('remove'))).ok, true);
    assert.deepEqual(await leftovers(), []);
  });

  it('when a request has another key, action or number, then the site answers as without the file', async () => {
    const { privateKey: other } = generateKeyPairSync('ed25519');
    assert.equal(await send(numbered('state'), other), 'page of 1.0');
    for (const message of [numbered('exec'), 'state 1', `${numbered('state')}\n`, `state ${'1'.repeat(17)}`])
      assert.equal(await send(message), 'page of 1.0', message);
    assert.deepEqual(await readdir(path('plugins')), ['alpha']);
  });

  it('when a request comes again, or is older than an accepted one, then nothing is done', async () => {
    const [older, arm] = [numbered('remove'), numbered('arm')];
    assert.equal((await ask(arm)).ok, true);
    assert.equal((await ask(arm)).error, 'replayed');
    assert.equal((await ask(older)).error, 'replayed');
    assert.ok(existsSync(guardFile()));
  });

  it('when its time is over, then it stays until a complete page proves that the site works', async () => {
    await ask(numbered('arm'));
    await update('die();');
    const longAgo = Date.now() / 1000 - 3 * 3600;
    await utimes(guardFile(), longAgo, longAgo);
    await page();
    assert.equal((await leftovers()).length, 2);
    await update("define( 'VERSION', '2.0' );");
    assert.deepEqual(await page(), [200, 'page of 2.0']);
    assert.deepEqual(await leftovers(), []);
  });

  it('when the upload has created an open folder, then the file closes it, and removes it with itself', async () => {
    await rm(path('mu-plugins/other.php'));
    await chmod(path('mu-plugins'), 0o777);
    assert.equal((await ask(numbered('arm'))).ok, true);
    assert.equal((await stat(path('mu-plugins'))).mode & 0o777, 0o755);
    await ask(numbered('remove'));
    assert.equal(existsSync(path('mu-plugins')), false);
    await mkdir(path('mu-plugins'));
  });

  describe('for an activation', () => {
    beforeEach(async () => {
      await rm(guardFile());
      await activate(OTHER);
      await layFile({ activatedFile: ALPHA });
      assert.deepEqual((({ ok, armed }) => [ok, armed])(await ask(numbered('arm'))), [true, true]);
    });

    for (const [title, code] of Object.entries(FAULTS))
      it(`when the plugin has ${title}, then the request that met it deactivates the plugin alone`, async () => {
        await update(code);
        await activate(OTHER, ALPHA);
        assert.equal((await page())[0], 500);
        assert.deepEqual(await page(), [200, 'page of nothing']);
        assert.equal(await optionIs(ACTIVE), list(OTHER));
        const { armed, restored } = await ask(numbered('state'));
        assert.deepEqual([armed, restored?.cause, restored?.line], [false, 'fatal', 2]);
        assert.ok(existsSync(path('plugins', ALPHA)), 'the files stay');
        await activate(OTHER, ALPHA);
        assert.equal((await page())[0], 500);
        assert.equal(await optionIs(ACTIVE), list(OTHER, ALPHA), 'it acts once');
        await ask(numbered('remove'));
        assert.deepEqual(await leftovers(), []);
      });

    it('when the plugin ends each request, then it is deactivated only when asked', async () => {
      await update('die();');
      await activate(ALPHA, OTHER);
      assert.deepEqual(await page(), [200, '']);
      assert.equal((await ask(numbered('state'))).armed, true);
      assert.equal((await ask(numbered('restore'))).restored?.cause, 'asked');
      assert.deepEqual(await page(), [200, 'page of nothing']);
      assert.equal(await optionIs(ACTIVE), list(OTHER));
    });

    it('when the plugin is active in the whole network, then it is removed from that list too', async () => {
      await update(FAULTS['a fatal error']);
      await writeFile(join(root, NETWORK_ACTIVE), networkList(ALPHA, OTHER));
      assert.equal((await page())[0], 500);
      assert.deepEqual(await page(), [200, 'page of nothing']);
      assert.equal(await optionIs(NETWORK_ACTIVE), networkList(OTHER));
    });

    it('when the error is not in the plugin, then nothing is deactivated', async () => {
      await activate(OTHER, ALPHA);
      await writeFile(path('mu-plugins/zz.php'), '<?php no_such_function();');
      assert.equal((await page())[0], 500);
      const { armed, restored } = await ask(numbered('state'));
      assert.deepEqual([armed, restored, await optionIs(ACTIVE)], [true, null, list(OTHER, ALPHA)]);
    });

    it('when a file of the inactive plugin fails, then the file stays armed', async () => {
      await update(FAULTS['a fatal error']);
      await writeFile(path('mu-plugins/zz.php'), `<?php include WP_PLUGIN_DIR . '/${ALPHA}';`);
      assert.equal((await page())[0], 500);
      assert.equal((await ask(numbered('state'))).armed, true);
    });
  });
});

describe('source of a guard file', () => {
  const values = { guardId: 'a'.repeat(32), kind: 'plugin', folder: 'alpha', publicKey: 'b'.repeat(64) } as const;

  it('when a value could leave its place in the source, then there is no source', () => {
    for (const folder of ["a'.phpinfo().'", '../mu-plugins', '.hidden', 'a/b', '$x', '', 'a\n'])
      assert.throws(() => guardFileSource({ ...values, folder }), /not valid/, folder);
    for (const activatedFile of [
      "alpha/a'.php",
      'beta/alpha.php',
      'alpha/../x.php',
      'alpha/a/b.php',
      'alpha/a.txt',
      'alpha/',
    ])
      assert.throws(() => guardFileSource({ ...values, activatedFile }), /not valid/, activatedFile);
    assert.throws(() => guardFileSource({ ...values, guardId: "'" }), /not valid/);
    assert.throws(() => guardFileSource({ ...values, publicKey: "'" }), /not valid/);
  });

  it('when the source is made, then no placeholder is left', () => {
    for (const activatedFile of ['alpha/alpha.php', undefined])
      assert.doesNotMatch(guardFileSource({ ...values, ...(activatedFile && { activatedFile }) }), /@[A-Z_]+@/);
  });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await once(probe.listen(0, '127.0.0.1'), 'listening');
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
