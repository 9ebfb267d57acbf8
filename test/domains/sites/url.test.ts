import assert from 'node:assert/strict';
import { adoptWww, parseSiteReference, parseSiteUrl } from '../../../src/domains/sites/site-url.ts';

describe('site addresses', () => {
  it('are the same site whatever the scheme, www., case of the host and trailing slash', () => {
    for (const text of [
      'https://example.com',
      'http://www.EXAMPLE.com/',
      ' https://example.com// ',
      'https://example.com.',
    ])
      assert.equal(parseSiteUrl(text).key, 'example.com', text);
  });

  it('differ by port and path, and the path keeps its case', () => {
    assert.equal(parseSiteUrl('https://example.com:8443/Blog/').key, 'example.com:8443/Blog');
    assert.equal(parseSiteUrl('https://example.com:443/').key, 'example.com');
    assert.equal(parseSiteUrl('https://bücher.example/').key, 'xn--bcher-kva.example');
  });

  it('are read the same however often', () => {
    for (let time = 0; time < 20_000; time++)
      assert.equal(parseSiteUrl('https://bücher.example/').key, 'xn--bcher-kva.example');
  });

  it('are stored with one trailing slash and the host as typed', () => {
    assert.equal(parseSiteUrl('HTTPS://WWW.Example.com/blog').url, 'https://www.example.com/blog/');
  });

  it('refuse what is no web address, or carries more than one', () => {
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

  it('are found by a bare domain and by a URL', () => {
    assert.deepEqual(parseSiteReference('www.Example.com'), { key: 'example.com', bareHost: true });
    assert.deepEqual(parseSiteReference('http://example.com/blog/'), { key: 'example.com/blog', bareHost: false });
    assert.equal(parseSiteReference('%%%'), null);
  });

  it('take the host form that the child states when it differs by www. alone', () => {
    const entered = parseSiteUrl('https://example.com');
    assert.equal(adoptWww(entered, 'http://www.example.com').url, 'https://www.example.com/');
    assert.equal(adoptWww(entered, 'https://evil.example').url, 'https://example.com/');
    assert.equal(adoptWww(entered, 'nonsense').url, 'https://example.com/');
    assert.equal(adoptWww(entered, null).url, 'https://example.com/');
  });
});
