import assert from 'node:assert/strict';
import {
  adoptReportedWww,
  parseSiteReference,
  parseSiteUrl,
  toUnicodeAddress,
} from '../../../src/domains/sites/site-url.ts';

describe('site URLs', () => {
  it('when scheme, www., case of the host or trailing slash differ, then the URLs have the same key', () => {
    for (const text of [
      'https://example.com',
      'http://www.EXAMPLE.com/',
      ' https://example.com// ',
      'https://example.com.',
    ])
      assert.equal(parseSiteUrl(text).key, 'example.com', text);
  });

  it('when port or path differ, then the keys differ and the path keeps its case', () => {
    assert.equal(parseSiteUrl('https://example.com:8443/Blog/').key, 'example.com:8443/Blog');
    assert.equal(parseSiteUrl('https://example.com:443/').key, 'example.com');
    assert.equal(parseSiteUrl('https://bücher.example/').key, 'xn--bcher-kva.example');
  });

  it('when a URL is parsed many times, then the key stays the same', () => {
    for (let time = 0; time < 20_000; time++)
      assert.equal(parseSiteUrl('https://bücher.example/').key, 'xn--bcher-kva.example');
  });

  it('when a host is international, then the name of the site is in Unicode and the URL in ASCII', () => {
    const { url, name, label } = parseSiteUrl('https://www.BÜCHER.example:8443/Straße/');
    assert.equal(url, 'https://www.xn--bcher-kva.example:8443/Stra%C3%9Fe/');
    assert.equal(label, 'www.xn--bcher-kva.example:8443/Stra%C3%9Fe');
    assert.equal(name, 'www.bücher.example:8443/Stra%C3%9Fe');
    assert.equal(parseSiteUrl('https://example.com/xn--bcher-kva/').name, 'example.com/xn--bcher-kva');
    assert.equal(parseSiteUrl('http://[::1]:81/').name, '[::1]:81');
    assert.equal(parseSiteUrl(`https://example.com/${'a'.repeat(400)}`).name.length, 255);
    assert.equal(toUnicodeAddress('xn--a-xn--.example'), toUnicodeAddress(toUnicodeAddress('xn--a-xn--.example')));
  });

  it('when a URL is stored, then it has one trailing slash and the host as typed', () => {
    assert.equal(parseSiteUrl('HTTPS://WWW.Example.com/blog').url, 'https://www.example.com/blog/');
  });

  it('when a text is not an http URL or contains credentials, then it is rejected', () => {
    for (const text of [
      '',
      'example.com',
      'ftp://example.com',
      'https://',
      'https://u:p@example.com',
      'javascript:alert(1)',
      `https://example.com/${'a'.repeat(500)}`,
    ])
      assert.throws(() => parseSiteUrl(text), { code: 'svc_invalid_url' }, text);
  });

  it('when a URL is that of a page or file of WordPress, then that part is removed', () => {
    for (const [text, url] of [
      ['https://shop.example/wp-admin/', 'https://shop.example/'],
      ['https://shop.example/wp-admin/plugins.php?page=x#top', 'https://shop.example/'],
      ['https://shop.example//wp-login.php?redirect_to=x', 'https://shop.example/'],
      ['https://shop.example/blog/wp-content/themes/a', 'https://shop.example/blog/'],
      ['https://shop.example/wp-json/wp/v2/posts', 'https://shop.example/'],
      ['https://shop.example/blog/index.php', 'https://shop.example/blog/'],
      ['https://shop.example/?page_id=2', 'https://shop.example/'],
      ['https://shop.example/#contact', 'https://shop.example/'],
      ['https://wp-admin/wp-admin', 'https://wp-admin/'],
    ] as const) {
      const parsed = parseSiteUrl(text);
      assert.deepEqual([parsed.url, parsed.isShortened], [url, true], text);
    }
    for (const text of [
      'https://wp-admin/',
      'https://shop.example/blog/',
      'https://shop.example/wp-admin-demo/',
      'https://shop.example/index.php.old/',
    ]) {
      const parsed = parseSiteUrl(text);
      assert.deepEqual([parsed.url, parsed.isShortened], [text, false]);
    }
  });

  it('when a reference is a bare domain or a URL, then its key is returned', () => {
    const parse = (text: string) => Object.values(parseSiteReference(text) ?? {});
    assert.deepEqual(parse('www.Example.com'), ['example.com', 'example.com', true]);
    assert.deepEqual(parse('http://example.com/blog/'), ['example.com/blog', 'example.com/blog', false]);
    assert.deepEqual(parse('example.com/blog/wp-admin/'), ['example.com/blog/wp-admin', 'example.com/blog', false]);
    assert.deepEqual(parse('example.com/wp-login.php?a=b'), ['example.com/wp-login.php', 'example.com', true]);
    assert.equal(parseSiteReference('%%%'), null);
  });

  it('when the child reports a host that differs only by www., then its form is stored', () => {
    const stored = 'https://example.com/';
    assert.equal(adoptReportedWww(stored, 'http://www.example.com'), 'https://www.example.com/');
    for (const stated of ['https://evil.example', 'nonsense', null])
      assert.equal(adoptReportedWww(stored, stated), stored);
    assert.equal(
      adoptReportedWww('https://example.com/wp-admin/', 'https://example.com'),
      'https://example.com/wp-admin/',
    );
  });
});
