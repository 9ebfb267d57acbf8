import assert from 'node:assert/strict';
import { adoptWww, parseSiteReference, parseSiteUrl } from '../../../src/domains/sites/site-url.ts';

describe('site addresses', () => {
  it('when scheme, www., case of the host or trailing slash differ, then they are the same site', () => {
    for (const text of [
      'https://example.com',
      'http://www.EXAMPLE.com/',
      ' https://example.com// ',
      'https://example.com.',
    ])
      assert.equal(parseSiteUrl(text).key, 'example.com', text);
  });

  it('when port or path differ, then they are other sites, and the path keeps its case', () => {
    assert.equal(parseSiteUrl('https://example.com:8443/Blog/').key, 'example.com:8443/Blog');
    assert.equal(parseSiteUrl('https://example.com:443/').key, 'example.com');
    assert.equal(parseSiteUrl('https://bücher.example/').key, 'xn--bcher-kva.example');
  });

  it('when they are read again, then they stay the same', () => {
    for (let time = 0; time < 20_000; time++)
      assert.equal(parseSiteUrl('https://bücher.example/').key, 'xn--bcher-kva.example');
  });

  it('when they are stored, then they have one trailing slash and the host as typed', () => {
    assert.equal(parseSiteUrl('HTTPS://WWW.Example.com/blog').url, 'https://www.example.com/blog/');
  });

  it('when they are no web address or carry more than one, then they are refused', () => {
    for (const text of [
      '',
      'example.com',
      'ftp://example.com',
      'https://',
      'https://u:p@example.com',
      'https://example.com/?x',
      'https://example.com/#x',
      'javascript:alert(1)',
      `https://example.com/${'a'.repeat(500)}`,
    ])
      assert.throws(() => parseSiteUrl(text), { code: 'svc_invalid_url' }, text);
  });

  it('when a bare domain or a URL is looked for, then the site is found', () => {
    assert.deepEqual(parseSiteReference('www.Example.com'), { key: 'example.com', bareHost: true });
    assert.deepEqual(parseSiteReference('http://example.com/blog/'), { key: 'example.com/blog', bareHost: false });
    assert.equal(parseSiteReference('%%%'), null);
  });

  it('when the child states a host that differs by www. alone, then its form is taken', () => {
    const entered = parseSiteUrl('https://example.com');
    assert.equal(adoptWww(entered, 'http://www.example.com').url, 'https://www.example.com/');
    assert.equal(adoptWww(entered, 'https://evil.example').url, 'https://example.com/');
    assert.equal(adoptWww(entered, 'nonsense').url, 'https://example.com/');
    assert.equal(adoptWww(entered, null).url, 'https://example.com/');
  });
});
