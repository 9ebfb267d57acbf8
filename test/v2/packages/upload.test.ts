import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../../src/sdk/index.ts';
import { checkResponse } from '../../support/contract-check.ts';
import { makeZip, pluginEntries, pluginZip, putAlpha, sha256, TestDirectory } from '../../support/packages.ts';
import { startWorld, type World } from '../../support/world.ts';

const UPLOAD = '/api/v2/packages/upload';
const MEGABYTE = 1024 * 1024;

interface UploadResponse {
  code: string;
  message: string;
  data: Record<string, unknown> & { id: number; reason: string; errors: { path: string }[] };
}

describe('uploads of packages', () => {
  let world: World;
  let directory: TestDirectory;
  let folder: string;
  let authorization: string;
  let adminKey: string;
  let readerKey: string;

  before(async () => {
    directory = await TestDirectory.start();
    folder = await mkdtemp(join(tmpdir(), 'uploads-'));
    const env = {
      SITEFLEET_DIRECTORY_URL: directory.url,
      SITEFLEET_PACKAGES_DIR: folder,
      SITEFLEET_PACKAGES_MEGABYTES: '100',
    };
    world = await startWorld({ sites: 1, env });
    const addKey = async (permissions: string): Promise<string> => {
      const body = { permissions, description: permissions };
      return (await world.request('POST', '/api/v2/rest-api/add-key', { body })).body.data.token as string;
    };
    adminKey = await addKey('read,write');
    authorization = `Bearer ${adminKey}`;
    readerKey = await addKey('read');
  });
  after(async () => {
    await world.close();
    directory.close();
    await rm(folder, { recursive: true });
  });

  const formOf = (zip: Uint8Array, fields: Record<string, string>): FormData => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ type: 'plugin', slug: 'rig-alpha', ...fields })) form.set(name, value);
    form.set('zip_file', new File([new Uint8Array(zip)], 'package.zip', { type: 'application/zip' }));
    return form;
  };
  const send = async (body: FormData | Uint8Array | string, headers: Record<string, string> = {}) => {
    const response = await fetch(world.url + UPLOAD, {
      method: 'POST',
      headers: { authorization, ...headers },
      body,
    });
    const answer = (await response.json()) as UploadResponse;
    checkResponse('POST', UPLOAD, response.status, answer, Object.fromEntries(response.headers));
    return { status: response.status, headers: response.headers, body: answer };
  };
  const upload = async (zip: Uint8Array, fields: Record<string, string>, expect = 200) => {
    const { status, body } = await send(formOf(zip, fields));
    assert.equal(status, expect, JSON.stringify(body));
    return body;
  };
  const total = async (): Promise<number> => (await world.request('GET', '/api/v2/packages')).body.total;

  it('when a zip is uploaded, then it is stored once with its hash, and the change log has it', async () => {
    const zip = await pluginZip('rig-alpha', '1.0');
    const { data } = await upload(zip, { version: '1.0' });
    const expected = {
      ...{ type: 'plugin', slug: 'rig-alpha', version: '1.0', name: 'Rig Alpha', main_file: 'rig-alpha.php' },
      ...{ sha256: sha256(zip), source: 'upload', url: null, source_sha256: sha256(zip), verified_by: 'upload' },
      ...{ size: zip.length, file_count: 3 },
    };
    assert.deepEqual({ ...data, ...expected }, data);
    assert.equal((await upload(zip, { version: '1.0', sha256: sha256(zip) })).data.id, data.id);
    const { body: list } = await world.request('GET', '/api/v2/packages?source=upload');
    assert.deepEqual(
      list.data,
      [{ ...data, verified_by: 'hash' }],
      'the hash of the second upload verifies the package',
    );
    const { body: log } = await world.request('GET', '/api/v2/changes?contexts=package&actions=added&scope=service');
    assert.deepEqual(
      log.data.map(({ key, after }: { key: string; after: object }) => ({ key, after })),
      [{ key: 'rig-alpha', after: { version: '1.0' } }],
    );
  });

  it('when another zip of a stored version is uploaded, then the call fails', async () => {
    const other = await pluginZip('rig-alpha', '1.0', { header: ' * Requires PHP: 8.0\n' });
    assert.equal((await upload(other, { version: '1.0' }, 409)).code, 'svc_already_exists');
  });

  it('when a hash is sent, then the zip must have it', async () => {
    const zip = await pluginZip('rig-alpha', '1.1');
    const refused = await upload(zip, { version: '1.1', sha256: sha256('other') }, 409);
    assert.deepEqual([refused.code, refused.data.reason], ['svc_package_refused', 'hash_mismatch']);
    assert.equal((await upload(zip, { version: '1.1', sha256: sha256(zip) })).data.verified_by, 'hash');
  });

  it('when a folder is renamed, then the stored zip has another hash than the upload', async () => {
    const zip = await pluginZip('rig-alpha', '1.2', { folder: 'rig-alpha-main' });
    const { data } = await upload(zip, { version: '1.2' });
    assert.equal(data.source_sha256, sha256(zip));
    assert.notEqual(data.sha256, data.source_sha256);
    assert.equal((await upload(zip, { version: '1.2' })).data.id, data.id);
  });

  it('when a refused zip is uploaded, then nothing is stored and no site is called', async () => {
    const calls = world.site(0).countOf('installplugintheme');
    const before = await total();
    const good = await makeZip(pluginEntries('rig-alpha', '2.0'));
    const changed = Buffer.from(good);
    const at = good.indexOf('rig-alpha/rig-alpha.php') + 'rig-alpha/rig-alpha.php'.length + 8;
    changed.writeUInt8(good.readUInt8(at) ^ 1, at);
    const cases: [reason: string, zip: Buffer, fields?: Record<string, string>][] = [
      ['damaged', changed],
      ['hash_mismatch', changed, { sha256: sha256(good) }],
      ['damaged', Buffer.from('<html>no zip')],
      ['no_item', await makeZip([{ path: 'rig-alpha/rig-alpha.php', text: '<?php // none' }])],
      ['several_folders', await makeZip([...pluginEntries('rig-alpha', '2.0'), { path: 'other/a.php', text: 'x' }])],
      ['other_item', await pluginZip('rig-beta', '2.0')],
      ['other_version', await pluginZip('rig-alpha', '2.0.1')],
    ];
    for (const [reason, zip, fields] of cases) {
      const { code, data } = await upload(zip, { version: '2.0', ...fields }, 409);
      assert.deepEqual([code, data.reason], ['svc_package_refused', reason]);
    }
    assert.equal(await total(), before);
    assert.equal(world.site(0).countOf('installplugintheme'), calls);
  });

  it('when an upload requires a newer PHP than a site has, then the site is not called', async () => {
    putAlpha(world.site(0));
    await world.request('POST', `/api/v2/sites/${world.siteId(0)}/sync`);
    await upload(await pluginZip('rig-alpha', '99.0', { header: ' * Requires PHP: 99\n' }), { version: '99.0' });
    const body = { type: 'plugin', slug: 'rig-alpha', version: '99.0' };
    const done = (await world.request('POST', `/api/v2/sites/${world.siteId(0)}/packages/install`, { body })).body;
    assert.deepEqual([done.errors[0].code, done.errors[0].reason], ['svc_package_refused', 'php_too_old']);
    assert.equal(world.site(0).countOf('installplugintheme'), 0);
    assert.equal(world.site(0).state.plugins.get('rig-alpha/rig-alpha.php')?.version, '1.0');
  });

  it('when an uploaded version is installed, then the site gets the bytes of the upload', async () => {
    await upload(await pluginZip('rig-alpha', '1.0'), { version: '1.0' });
    putAlpha(world.site(0), { version: '1.2' });
    const body = { type: 'plugin', slug: 'rig-alpha', version: '1.0' };
    const done = (await world.request('POST', `/api/v2/sites/${world.siteId(0)}/packages/install`, { body })).body;
    assert.deepEqual([done.errors, done.data[0]?.new_version], [[], '1.0']);
    assert.equal(world.site(0).state.plugins.get('rig-alpha/rig-alpha.php')?.version, '1.0');
  });

  it('when the file of an upload is lost, then the same upload restores it', async () => {
    const zip = await pluginZip('rig-alpha', '1.1');
    for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true });
    const body = { type: 'plugin', slug: 'rig-alpha', version: '1.1' };
    const path = `/api/v2/sites/${world.siteId(0)}/packages/install`;
    const failed = (await world.request('POST', path, { body })).body;
    assert.deepEqual([failed.data, failed.errors.length], [[], 1]);
    await upload(zip, { version: '1.1' });
    assert.deepEqual((await world.request('POST', path, { body })).body.errors, []);
  });

  it('when a zip is larger than 64 MiB, then the call fails with 413, with or without a length', async () => {
    const large = new Uint8Array(64 * MEGABYTE + 1);
    const form = new Response(formOf(large, { version: '3.0' }));
    const type = form.headers.get('content-type') ?? '';
    const bytes = new Uint8Array(await form.arrayBuffer());
    const chunks = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += MEGABYTE) controller.enqueue(bytes.subarray(at, at + MEGABYTE));
        controller.close();
      },
    });
    const streamed = await fetch(world.url + UPLOAD, {
      method: 'POST',
      headers: { authorization, 'content-type': type },
      body: chunks,
      duplex: 'half',
    });
    assert.deepEqual(
      [streamed.status, ((await streamed.json()) as { code: string }).code],
      [413, 'svc_request_too_large'],
    );
    const whole = await send(bytes, { 'content-type': type });
    assert.deepEqual([whole.status, whole.body.code], [413, 'svc_request_too_large']);
    assert.match(whole.body.message, /64 MiB/);
  });

  /** Sends a request up to the first bytes of its body. */
  async function begin(key: string, length: number, part = ''): Promise<Socket> {
    const { hostname, port } = new URL(world.url);
    const socket = connect(Number(port), hostname);
    const lines = [
      `POST ${UPLOAD} HTTP/1.1`,
      'Host: sitefleet',
      `Authorization: Bearer ${key}`,
      'Content-Type: multipart/form-data; boundary=x',
      `Content-Length: ${length}`,
    ];
    await new Promise<void>((resolve) => socket.write(`${lines.join('\r\n')}\r\n\r\n${part}`, () => resolve()));
    return socket;
  }
  async function statusOf(socket: Socket): Promise<string> {
    const [head] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();
    return String(head).slice(0, 'HTTP/1.1 200'.length);
  }

  it('when a declared length is too large, then the call fails before the body was sent', async () => {
    assert.equal(await statusOf(await begin(adminKey, 80 * MEGABYTE)), 'HTTP/1.1 413');
  });

  it('when a caller may not write packages, then the call fails before the body was sent', async () => {
    assert.equal(await statusOf(await begin(readerKey, 10 * MEGABYTE)), 'HTTP/1.1 403');
  });

  it('when the media type is another one, then the call fails with 415', async () => {
    const zip = new Uint8Array(await pluginZip('rig-alpha', '3.0'));
    for (const type of ['application/zip', 'application/octet-stream', 'application/json']) {
      const { status, body } = await send(type === 'application/json' ? '{}' : zip, { 'content-type': type });
      assert.deepEqual([status, body.code], [415, 'rest_unsupported_media_type'], type);
    }
  });

  it('when the file is missing or a text, then the error names the field', async () => {
    const form = formOf(new Uint8Array(), { version: '3.0' });
    form.delete('zip_file');
    const missing = await send(form);
    assert.deepEqual([missing.status, missing.body.data.errors[0]?.path], [400, 'body.zip_file']);
    form.set('zip_file', 'text');
    const text = await send(form);
    assert.deepEqual([text.status, text.body.data.errors[0]?.path], [400, 'body.zip_file']);
  });

  it('when a call is repeated under its key, then the stored response is returned, and another zip is refused', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const zip = await pluginZip('rig-alpha', '4.0');
    const first = await send(formOf(zip, { version: '4.0' }), headers);
    const again = await send(formOf(zip, { version: '4.0' }), headers);
    assert.deepEqual([again.body, again.headers.get('idempotency-replayed')], [first.body, 'true']);
    const other = await send(formOf(await pluginZip('rig-alpha', '4.1'), { version: '4.0' }), headers);
    assert.deepEqual([other.status, other.body.code], [409, 'svc_idempotency_conflict']);
  });

  it('when several uploads arrive at once, then all are stored', async () => {
    const versions = ['5.0', '5.1', '5.2', '5.3', '5.4', '5.5'];
    await Promise.all(versions.map(async (version) => upload(await pluginZip('rig-alpha', version), { version })));
    const { body } = await world.request('GET', '/api/v2/packages?slug=rig-alpha&per_page=100');
    const stored = new Set(body.data.map(({ version }: { version: string }) => version));
    for (const version of versions) assert.ok(stored.has(version), version);
  });

  it('when an upload breaks off, then later ones are still taken', async () => {
    const part = '--x\r\nContent-Disposition: form-data; name="zip_file"; filename="a.zip"\r\n\r\nPK';
    for (let time = 0; time < 3; time++) (await begin(adminKey, MEGABYTE, part)).destroy();
    await upload(await pluginZip('rig-alpha', '6.0'), { version: '6.0' });
  });

  it('when the SDK gets bytes or a Blob, then it sends them as a file', async () => {
    const fleet = createClient({ url: world.url, key: adminKey });
    const zip = await pluginZip('rig-alpha', '7.0');
    const about = { type: 'plugin', slug: 'rig-alpha', version: '7.0' } as const;
    for (const zip_file of [zip, new Blob([new Uint8Array(zip)])]) {
      const { data } = await fleet.route('packages_upload', { body: { ...about, zip_file } });
      assert.equal(data.source_sha256, sha256(zip));
    }
  });
});
