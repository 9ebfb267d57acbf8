import assert from 'node:assert/strict';
import { editSettings } from '../../support/settings.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Returns a PNG header with the given size. */
const png = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(25);
  header.writeUInt32BE(13);
  header.write('IHDR', 4);
  header.writeUInt32BE(width, 8);
  header.writeUInt32BE(height, 12);
  header.set([8, 2], 16);
  return Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), header]);
};
const JPEG = Buffer.from('ffd8ffe000104a46494600010100000100010000ffc0000b080010002001011100ffd9', 'hex');
const WEBP = Buffer.from('524946461a000000574542505650384c0d0000002f0fc00300000000000000000000', 'hex');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>');

const dataUrl = (type: string, bytes: Buffer): string => `data:image/${type};base64,${bytes.toString('base64')}`;

describe('v2 report settings', () => {
  let world: World;
  before(async () => (world = await startWorld()));
  after(() => world.close());

  const logo = async (): Promise<string> =>
    (await world.request('GET', '/api/v2/settings/pro-reports')).body.data.agency_logo;

  it('when a logo is an image, then it is stored, and the change log has only its start', async () => {
    for (const [type, bytes] of Object.entries({ png: png(320, 80), jpeg: JPEG, webp: WEBP })) {
      await editSettings(world, 'pro-reports', { agency_logo: dataUrl(type, bytes) });
      assert.equal(await logo(), dataUrl(type, bytes));
    }
    const heavy = dataUrl('png', Buffer.concat([png(320, 80), Buffer.alloc(100 * 1024 - 33)]));
    await editSettings(world, 'pro-reports', { agency_logo: heavy });
    assert.equal(await logo(), heavy);
    const [row] = await world.container.database.knex('changes').select('description').orderBy('id', 'desc').limit(1);
    assert.match(
      row.description,
      /^Settings changed: pro-reports\.agency_logo = "data:image\/png;base64,.{100,180}…\.$/,
    );
  });

  it('when a logo is no image, of another type or too large, then the error names the field', async () => {
    const stood = await logo();
    const refused = [
      dataUrl('png', SVG),
      dataUrl('png', JPEG),
      dataUrl('jpeg', WEBP),
      dataUrl('webp', png(9, 9)),
      dataUrl('png', Buffer.from('GIF89a\x01\x00\x01\x00', 'latin1')),
      dataUrl('png', png(9, 9).subarray(0, 20)),
      dataUrl('png', png(0, 9)),
      dataUrl('png', png(4001, 9)),
      dataUrl('png', png(60_000, 60_000)),
      dataUrl('png', Buffer.concat([png(9, 9), Buffer.alloc(100 * 1024)])),
      dataUrl('svg+xml', SVG),
      `data:image/png;base64,${'='.repeat(2)}`,
      'https://agency.example/logo.png',
    ];
    for (const value of refused) {
      const { body } = await editSettings(world, 'pro-reports', { agency_logo: value }, 400);
      assert.deepEqual(
        body.data.errors.map(({ path }: { path: string }) => path),
        ['body.agency_logo'],
        value.slice(0, 60),
      );
    }
    assert.equal(await logo(), stood);
  });
});
