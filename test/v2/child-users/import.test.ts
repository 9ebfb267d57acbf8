import assert from 'node:assert/strict';
import { userOf } from '../../support/child-users.ts';
import { suspendSite, unsuspendSite } from '../../support/sites.ts';
import { createTag } from '../../support/tags.ts';
import { startWorld, type World } from '../../support/world.ts';

const IMPORT = '/api/v2/users/import';
const HEADER = 'username,email,first name,last name,url,password,send_password,role,sites,tags';
const BOUNDARY = 'x-boundary-of-the-test';

interface FormPart {
  name: string;
  text: string;
  file?: string;
}

/** Returns a multipart form as a browser encodes it. */
const formOf = (parts: FormPart[]): string =>
  [
    ...parts.map(
      ({ name, text, file }) =>
        `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"` +
        `${file === undefined ? '' : `; filename="${file}"\r\nContent-Type: text/csv`}\r\n\r\n${text}\r\n`,
    ),
    `--${BOUNDARY}--\r\n`,
  ].join('');

describe('v2 import of users', () => {
  let world: World;
  before(async () => {
    world = await startWorld({ sites: 3 });
  });
  after(() => world.close());

  const send = (parts: FormPart[], options: object = {}) =>
    world.request('POST', IMPORT, {
      headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` },
      body: formOf(parts),
      ...options,
    });
  const importing = (text: string, more: FormPart[] = [], options: object = {}) =>
    send([...more, { name: 'csv_file', text, file: 'users.csv' }], options);
  const userOn = (index: number, login: string) => userOf(world.site(index), login);
  const host = (index: number): string => new URL(world.site(index).url).host;

  it('when a text or the file contains U+0000, then the error names the field', async () => {
    const inFile = await importing('username,email\nann\0,ann@example.com', [], { expect: 400 });
    const inText = await importing(HEADER, [{ name: 'has_header', text: '1\0' }], { expect: 400 });
    for (const [{ body }, path] of [
      [inFile, 'body.csv_file'],
      [inText, 'body.has_header'],
    ] as const)
      assert.deepEqual([body.code, body.data.errors[0].path], ['rest_invalid_param', path]);
  });

  it('when a row names sites by reference or tag, then each site gets one user', async () => {
    await createTag(world, 'Shops', world.siteId(1), world.siteId(2));
    const { body } = await importing(
      [
        HEADER,
        `ann,ann@example.com,Ann,Lee,https://ann.example/,ann has a secret,0,editor,${world.site(0).url};${host(1)},`,
        `bob,bob@example.com,,,,,1,,${host(1)},shops`,
      ].join('\n'),
    );
    assert.deepEqual([body.success, body.total, body.success_count, body.failed_count], [1, 2, 2, 0]);
    assert.deepEqual(body.failed_users, []);
    const [ann, bob] = body.success_users;
    assert.deepEqual([ann.line_number, ann.username, ann.email], [2, 'ann', 'ann@example.com']);
    assert.deepEqual(Object.keys(ann.created_sites), [String(world.siteId(0)), String(world.siteId(1))]);
    assert.deepEqual(
      [bob.line_number, Object.keys(bob.created_sites)],
      [3, [1, 2].map((at) => String(world.siteId(at)))],
    );
    const made = userOn(0, 'ann');
    assert.deepEqual(
      [made?.firstName, made?.lastName, made?.url, made?.password, made?.role],
      ['Ann', 'Lee', 'https://ann.example/', 'ann has a secret', 'editor'],
    );
    assert.equal(userOn(2, 'bob')?.role, 'subscriber');
    assert.equal(JSON.stringify(body).includes('ann has a secret'), false);
    const mailed = world.site(1).requests.filter((each) => each.function === 'newuser');
    assert.deepEqual(
      // Rows are imported in parallel.
      mailed.map(({ fields }) => fields['send_password']).sort(),
      ['0', '1'],
    );
  });

  it('when rows have quotes, a byte order mark, mixed line ends or several lines, then all rows are read', async () => {
    const site = host(0);
    const { body } = await importing(
      `\ufeff${HEADER}\r\n"q.one",q1@example.com,"Ann ""the"" Great","Lee, Jr.",,,0,,${site},\r\n` +
        `\r\nq.two,q2@example.com,"two\r\nlines",,,,,,"${site};",\nq.three,q3@example.com,,,,,false,author,${site},\r`,
    );
    assert.deepEqual(body.failed_users, []);
    assert.deepEqual(
      body.success_users.map(({ line_number, username }: { line_number: number; username: string }) => [
        line_number,
        username,
      ]),
      [
        [2, 'q.one'],
        [5, 'q.two'],
        [6, 'q.three'],
      ],
    );
    assert.deepEqual([userOn(0, 'q.one')?.firstName, userOn(0, 'q.one')?.lastName], ['Ann "the" Great', 'Lee, Jr.']);
  });

  it('when has_header is false, then the first row is imported as a user', async () => {
    const { body } = await importing(`first,first@example.com,,,,,,,${host(0)},`, [{ name: 'has_header', text: '0' }]);
    assert.deepEqual([body.total, body.success_users[0].line_number], [1, 1]);
    const header = await importing(`${HEADER}\n`, [{ name: 'has_header', text: 'true' }]);
    assert.equal(header.body.total, 0);
  });

  it('when rows are invalid, then each error has the line number, and valid rows are imported', async () => {
    await suspendSite(world, world.siteId(2));
    const site = host(0);
    const rows: [string, RegExp | null][] = [
      [`bad name!,b1@example.com,,,,,,,${site},`, /^username must contain/],
      [`b2,no address,,,,,,,${site},`, /^email must be an e-mail address/],
      [`b3,b3@example.com,,,,"it's",,,${site},`, /^password must not contain quotes/],
      [
        `b4,b4@example.com,,,,,maybe,the king,${site},`,
        /^role must be the slug of a role; send_password must be 1 or 0/,
      ],
      [`b5,b5@example.com,,,,,,,,`, /^sites or tags must name/],
      [`b6,b6@example.com`, /^The row has 2 columns instead of 10\.$/],
      [`b7,b7@example.com,,,,,,,,nowhere`, /^No tag/],
      [`b8,b8@example.com,,,,,,,nowhere.example,`, /^nowhere\.example: No site matches this reference/],
      [`admin,b9@example.com,,,,,,,${site},`, /has a user with this name/],
      [`b10,b10@example.com,,,,,,,${site};${host(2)},`, /is suspended/],
      [`b11,b11@example.com,,,,,,,${site},`, null],
      [`b12,"b12@example.com,,,,,,,${site},`, /cannot be read/],
    ];
    const { body } = await importing([HEADER, ...rows.map(([row]) => row)].join('\n'));
    assert.deepEqual([body.total, body.success_count, body.failed_count], [12, 1, 11]);
    assert.equal(body.success_users[0].line_number, 12);
    for (const { line_number: line, error } of body.failed_users) {
      const expected = rows[line - 2]?.[1];
      assert.ok(expected?.test(error), `${line}: ${error}`);
    }
    const partly = body.failed_users.find(({ username }: { username: string }) => username === 'b10');
    assert.deepEqual(Object.keys(partly.created_sites), [String(world.siteId(0))]);
    assert.equal(partly.failed_sites[0].code, 'svc_site_suspended');
    assert.equal(JSON.stringify(body).includes("it's"), false);
    await unsuspendSite(world, world.siteId(2));
  });

  it('when a site is down, then the user is created on the other sites', async () => {
    world.site(1).fault = { kind: 'refuse' };
    const { body } = await importing(`${HEADER}\ndown,down@example.com,,,,,,,${host(1)};${host(0)},`);
    world.site(1).fault = null;
    assert.deepEqual([body.success_count, body.failed_count], [0, 1]);
    assert.equal(body.failed_users[0].failed_sites[0].code, 'svc_site_unreachable');
    assert.ok(userOn(0, 'down'));
  });

  it('when a file has more than 1,000 rows or 2 MiB, then it is rejected; 1,000 rows are accepted', async () => {
    const rows = (count: number): string => `${HEADER}\n${'x\n'.repeat(count)}`;
    assert.equal((await importing(rows(1_000))).body.failed_count, 1_000);
    assert.equal((await importing(rows(1_001), [], { expect: 413 })).body.code, 'svc_request_too_large');
    const large = `${HEADER}\n${'x'.repeat(1024)}\n`.repeat(2_100);
    assert.equal((await importing(large, [], { expect: 413 })).body.code, 'svc_request_too_large');
    // Empty cells cost the parser as much as full ones.
    const commas = await importing(','.repeat(200_000), [], { expect: 413 });
    assert.equal(commas.body.code, 'svc_request_too_large');
  });

  it('when the form is invalid, or the caller lacks the right, then the import is rejected', async () => {
    const refused = async (parts: FormPart[]): Promise<string[]> => {
      const { body } = await send(parts, { expect: 400 });
      assert.equal(body.code, 'rest_invalid_param');
      return body.data.errors.map(({ path }: { path: string }) => path);
    };
    const csv = { name: 'csv_file', text: HEADER, file: 'a.csv' };
    assert.deepEqual(await refused([]), ['body.csv_file']);
    assert.deepEqual(await refused([{ name: 'csv_file', text: HEADER }]), ['body.csv_file']);
    assert.deepEqual(await refused([csv, { name: 'has_header', text: 'maybe' }]), ['body.has_header']);
    assert.deepEqual(await refused([csv, { name: 'nope', text: '1' }]), ['body.nope']);
    assert.deepEqual(await refused([csv, { ...csv }]), ['body']);
    const twice = { name: 'has_header', text: '1' };
    assert.deepEqual(await refused([csv, twice, twice]), ['body.has_header']);
    const nobody = await world.request('POST', IMPORT, { expect: 400 });
    assert.equal(nobody.body.data.errors[0].path, 'body.csv_file');
    await world.request('POST', IMPORT, { body: { csv_file: HEADER }, expect: 415 });
    const headers = { 'content-type': 'multipart/form-data' };
    for (const body of [formOf([csv]), formOf([csv]).slice(0, 80)]) {
      const broken = await world.request('POST', IMPORT, { headers, body, expect: 400 });
      assert.equal(broken.body.data.errors[0].path, 'body');
      const cut = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      if (body.length < 100) await world.request('POST', IMPORT, { headers: cut, body, expect: 400 });
    }
    await importing(HEADER, [], { as: 'reader', expect: 403 });
    await importing(HEADER, [], { as: 'nobody', expect: 401 });
    // Only routes with a form in the contract accept forms.
    const elsewhere = { headers: { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }, body: formOf([csv]) };
    await world.request('POST', '/api/v2/users/create', { ...elsewhere, expect: 415 });
  });

  it('when the encoding of the file is not UTF-8, then the import is rejected', async () => {
    const { status, body } = await world
      .agent()
      .post(IMPORT)
      .attach('csv_file', Buffer.from('name\xff', 'latin1'), 'a.csv');
    assert.deepEqual([status, body.data.errors], [400, [{ path: 'body.csv_file', message: 'must be UTF-8 text' }]]);
  });
});
