import assert from 'node:assert/strict';
import { readFrame } from '../../src/connector/response-frame.ts';
import { toFrame } from '../support/frames.ts';

const read = (body: string) => readFrame(Buffer.from(body));
const framed = (json: string): string => `<mainwp>${Buffer.from(json).toString('base64')}</mainwp>`;

describe('framing', () => {
  it('when the example of the protocol is read, then its frame is found', async () => {
    assert.deepEqual(await read('<mainwp>eyJ2ZXJzaW9uIjoiNi4xIiwibm90ZSI6ImNhZlx1MDBlOSJ9</mainwp>'), {
      kind: 'value',
      value: { version: '6.1', note: 'caf\u00e9' },
    });
  });

  it('when noise surrounds the frames, then it is skipped and the last frame is read', async () => {
    const noise = '\ufeff<p>Starting</p><script>x()</script>';
    assert.deepEqual(await read(`${noise}${toFrame({ a: 1 })}\n<!-- cache -->`), { kind: 'value', value: { a: 1 } });
    assert.deepEqual(await read(`${toFrame({ forged: 1 })}${noise}${toFrame({ a: 1 })}`), {
      kind: 'value',
      value: { a: 1 },
    });
    assert.deepEqual(await read(`<mainwp>${toFrame({ a: 1 })}`), { kind: 'value', value: { a: 1 } });
  });

  it('when text only looks like a frame, then it is skipped', async () => {
    assert.deepEqual(await read(`${toFrame({ a: 1 })} see <mainwp> and </mainwp> tags`), {
      kind: 'value',
      value: { a: 1 },
    });
    assert.deepEqual(await read(`${toFrame({ a: 1 })}<mainwp>no base64!</mainwp></mainwp>`), {
      kind: 'value',
      value: { a: 1 },
    });
  });

  it('when a frame contains a scalar, a list or null, then that value is returned', async () => {
    for (const value of ['', [], null, 1, true]) assert.deepEqual(await read(toFrame(value)), { kind: 'value', value });
  });

  it('when there is no frame, then the result is none', async () => {
    for (const body of ['', '0', '<html></html>', '<mainwp>eyJ9', '</mainwp><mainwp>', '<MAINWP>e30=</MAINWP>']) {
      assert.equal((await read(body)).kind, 'none', body);
    }
  });

  it('when a frame is malformed, then the result is damaged', async () => {
    const bodies = ['<mainwp></mainwp>', '<mainwp>e30</mainwp>', '<mainwp>e3 0=</mainwp>', '<mainwp>e30_</mainwp>'];
    bodies.push('<mainwp>=e30</mainwp>', framed('{"a":'), framed("{'a':1}"), framed('{"a":1}x'), framed(''));
    for (const body of bodies) assert.equal((await read(body)).kind, 'damaged', body);
    assert.equal(
      (await readFrame(Buffer.from(`<mainwp>${Buffer.from([0x22, 0xff, 0x22]).toString('base64')}</mainwp>`))).kind,
      'damaged',
    );
  });

  it('when nesting is too deep, then the frame is rejected, but brackets in strings do not count', async () => {
    assert.equal((await read(framed('['.repeat(64) + ']'.repeat(64)))).kind, 'value');
    assert.equal((await read(framed('['.repeat(65) + ']'.repeat(65)))).kind, 'damaged');
    assert.equal((await read(framed('{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)))).kind, 'damaged');
    assert.equal((await read(framed(JSON.stringify({ a: '[{"\\'.repeat(200) })))).kind, 'value');
  });

  it('when a short response is nested more than 64 levels deep, then it is damaged, and brackets in texts do not count', async () => {
    const nested = (levels: number, text: string): string =>
      framed(`${'{"a":['.repeat(levels / 2)}${JSON.stringify(text)}${']}'.repeat(levels / 2)}`);
    const text = `[${'\\"'.repeat(3)}[[`;
    assert.equal((await read(nested(64, text))).kind, 'value');
    assert.deepEqual(await read(nested(66, text)), { kind: 'damaged', problem: 'The frame is nested too deeply.' });
    const after = framed(`[${JSON.stringify('\\')},${'['.repeat(64)}${']'.repeat(64)}]`);
    assert.equal((await read(after)).kind, 'damaged');
    // A smaller limit of values applies to short responses too.
    assert.equal((await readFrame(Buffer.from(framed('[1,1,1,1]')), { maxValues: 4 })).kind, 'damaged');
  });

  it('when there are too many false frames or a frame is too large, then the result is damaged', async () => {
    assert.equal((await read('<mainwp>!</mainwp>'.repeat(100_000))).kind, 'damaged');
    assert.equal((await read(framed(JSON.stringify('x'.repeat(25 * 1024 * 1024))))).kind, 'damaged');
  });

  it('when a key is __proto__ or constructor, then no prototype is changed', async () => {
    const result = await read(framed('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'));
    assert.equal(result.kind, 'value');
    assert.equal(({} as { polluted?: unknown }).polluted, undefined);
  });
});
