import assert from 'node:assert/strict';
import type { SimulatedSite } from '../../../src/sandbox/index.ts';
import { withContentWorld } from '../../support/content.ts';
import type { World } from '../../support/world.ts';

// Runs on SQLite only: the test is about the calls to a site.

const TEXTS = [
  '5 < 6 > 4',
  'a<b',
  'A & B',
  'A &amp; B &#8211; &copy;',
  '<b>Big</b> <em>small</em>',
  '<script>alert(1)</script>',
  '<!-- comment -->x <?php echo 1; ?>',
  String.raw`C:\new\0 \\ \" 50 %41`,
];

// Responses are validated against the contract before this point.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

for (const kind of ['post', 'page'] as const)
  describe(`texts of v2 ${kind}s`, () => {
    let world: World;
    let site: SimulatedSite;
    let root: string;
    withContentWorld({ kind: `${kind}s` }, (started) => ({ world, site, root } = started));

    const create = async (body: object): Promise<Json> => {
      const all = { post_title: 'x', post_content: 'text', post_status: 'draft', post_name: '', ...body };
      return (await world.request('POST', `${root}/create`, { body: all })).body;
    };
    const titleOn = (id: number): string | undefined => site.state.posts.get(id)?.title;

    it('when records are created, then the texts are stored as sent', async () => {
      for (const text of TEXTS) {
        const texts = { post_title: text, post_excerpt: text, post_content: text };
        const { data, warnings } = await create({ ...texts, post_status: 'publish' });
        const stored = site.state.posts.get(data.post_id);
        assert.deepEqual([stored?.title, stored?.excerpt, stored?.content], [text, text, text]);
        assert.deepEqual([data.post_title, data.post_excerpt, data.post_status], [text, text, 'publish']);
        assert.deepEqual([data.post_name, warnings], [stored?.name, undefined]);
        const { body } = await world.request('GET', `${root}/${data.post_id}`);
        assert.deepEqual({ ...body.data, ...texts }, body.data);
      }
    });

    it('when records are created with any status or a future date, then the title is stored as sent', async () => {
      const dates = { post_date: '2031-05-06 07:08:09', post_date_gmt: '2031-05-06 05:08:09' };
      for (const [status, more] of [
        ['draft', {}],
        ['pending', {}],
        ['private', {}],
        ['trash', {}],
        ['future', dates],
      ] as const) {
        const { data } = await create({ post_title: 'A & B', post_status: status, ...more });
        assert.deepEqual([data.post_status, titleOn(data.post_id)], [status, 'A & B']);
      }
    });

    it('when records are edited, then the texts are stored as sent, also if the record is rewritten', async () => {
      const { data } = await create({ post_title: 'x' });
      for (const text of TEXTS) {
        const body = {
          post_title: text,
          post_excerpt: text,
          post_featured_image: `https://images.example/${TEXTS.indexOf(text)}.jpg`,
        };
        const edited = await world.request('PUT', `${root}/${data.post_id}/edit`, { body });
        assert.deepEqual([edited.body.data.post_title, edited.body.data.post_excerpt], [text, text]);
        assert.deepEqual([titleOn(data.post_id), edited.body.warnings], [text, undefined]);
      }
    });

    it('when a step after the creation fails, then the record stays a draft with a warning', async () => {
      site.faultQueue.push({ kind: 'fatal', when: 'before', function: 'post_action' });
      const { data, warnings } = await create({ post_title: '<b>A</b> & B', post_status: 'publish' });
      assert.equal(data.post_status, 'draft');
      assert.equal(data.post_title, '&lt;b&gt;A&lt;/b&gt; &amp; B');
      assert.match(warnings.join(), /created as a draft, but a later step failed/);
      assert.match(warnings.join(), /did not store the title unchanged/);
    });

    it('when the site stores another title, then the response has a warning', async () => {
      const { data, warnings } = await create({ post_title: '  blanks  ' });
      assert.deepEqual([data.post_title, warnings], ['blanks', ['The site did not store the title unchanged.']]);
      const edited = await world.request('PATCH', `${root}/${data.post_id}/edit`, { body: { post_title: ' x' } });
      assert.deepEqual([edited.body.data.post_title, edited.body.warnings], ['x', warnings]);
    });
  });
