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

  it('when a text is not an http URL or contains credentials, a query or a fragment, then it is rejected', () => {
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

  it('when a reference is a bare domain or a URL, then its key is returned', () => {
    assert.deepEqual(parseSiteReference('www.Example.com'), { key: 'example.com', bareHost: true });
    assert.deepEqual(parseSiteReference('http://example.com/blog/'), { key: 'example.com/blog', bareHost: false });
    assert.equal(parseSiteReference('%%%'), null);
  });

  it('when the child reports a host that differs only by www., then its form is stored', () => {
    const entered = parseSiteUrl('https://example.com');
    assert.equal(adoptReportedWww(entered, 'http://www.example.com').url, 'https://www.example.com/');
    assert.equal(adoptReportedWww(entered, 'https://evil.example').url, 'https://example.com/');
    assert.equal(adoptReportedWww(entered, 'nonsense').url, 'https://example.com/');
    assert.equal(adoptReportedWww(entered, null).url, 'https://example.com/');
  });
});
