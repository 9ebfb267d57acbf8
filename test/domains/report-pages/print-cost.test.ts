import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import puppeteer from 'puppeteer-core';
import { descendantsOf, memoryOf } from '../../../src/browser/process-tree.ts';
import { buildClientPage } from '../../../src/domains/report-pages/build-page.ts';
import { renderReportHtml } from '../../../src/domains/report-pages/html-renderer.ts';
import { chromiumOrSkip } from '../../support/browsers.ts';
import { clientOfStory, formatsIn, presentationOf, sitesOfStory } from '../../support/report-stories.ts';

const COLOR = '#0b5d4e';
const BRAND = { name: 'North Sea Web', color: COLOR, accentColor: COLOR, logo: '', footer: '' };
const ROUNDS = 3;

interface Print {
  pages: number;
  /** Processor time of the browser and its processes, from the start of the browser on. */
  ms: number;
  /** Largest memory of the browser and its processes. */
  megabytes: number;
}

/** With the limit 0, pages that processes share count once. */
const megabytesOf = (root: number): number => memoryOf([root, ...descendantsOf(root)], 0) / 1e6;

/** Processes that have ended are counted by their parents. */
function processorMsOf(root: number): number {
  const ticks = [root, ...descendantsOf(root)].map((pid) => {
    const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    // The own times of the process and those of its children, in hundredths of a second (proc(5)).
    return fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * 10;
}

describe('cost of printing a report', function () {
  this.timeout(240_000);

  it('when a client has 60 sites, then time and memory are near those of a plain page of the same length', async function () {
    if (process.platform !== 'linux') this.skip();
    const executablePath = await chromiumOrSkip(this);
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];

    /** Prints in a new browser, as the service prints a report. */
    async function print(html: string): Promise<Print> {
      const browser = await puppeteer.launch({ executablePath, headless: true, args });
      const pid = browser.process()?.pid ?? 0;
      let megabytes = 0;
      const timer = setInterval(() => (megabytes = Math.max(megabytes, megabytesOf(pid))), 20);
      try {
        const tab = await browser.newPage();
        await tab.setJavaScriptEnabled(false);
        await tab.setContent(html, { waitUntil: 'load' });
        const bytes = await tab.pdf({
          ...{ preferCSSPageSize: true, format: 'a4', printBackground: true, tagged: true, outline: true },
          waitForFonts: false,
        });
        const ms = processorMsOf(pid);
        megabytes = Math.max(megabytes, megabytesOf(pid));
        const pages =
          Buffer.from(bytes)
            .toString('latin1')
            .match(/\/Type\s*\/Page\b/g)?.length ?? 0;
        return { pages, ms, megabytes };
      } finally {
        clearInterval(timer);
        await browser.close();
      }
    }
    const page = await buildClientPage(
      clientOfStory('Harbour Group', sitesOfStory(60)),
      presentationOf(),
      null,
      formatsIn(),
    );
    const report = await renderReportHtml(page, BRAND, formatsIn());
    const text = 'The harbour is open, and the boats go out in the morning to come back in the evening. ';
    const plain = (paragraphs: number): string =>
      `<!doctype html><html lang="en"><title>Plain</title><style>@page { size: A4; margin: 16mm }</style><body>${`<p>${text.repeat(6)}</p>`.repeat(paragraphs)}`;
    const { pages } = await print(report);
    const tenPages = await print(plain(100));
    const same = plain(Math.round((100 * pages) / tenPages.pages));
    const [ours, theirs]: [Print[], Print[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await print(report));
      theirs.push(await print(same));
    }
    assert.ok(Math.abs((theirs[0]?.pages ?? 0) - pages) <= 2, `${pages} and ${theirs[0]?.pages} pages`);
    const least = (prints: readonly Print[], name: 'ms' | 'megabytes'): number =>
      Math.min(...prints.map((each) => each[name]));
    const ratio = (name: 'ms' | 'megabytes'): number => least(ours, name) / least(theirs, name);
    assert.ok(ratio('ms') <= 3, `${ratio('ms').toFixed(2)} times the time`);
    assert.ok(ratio('megabytes') <= 2, `${ratio('megabytes').toFixed(2)} times the memory`);
  });
});
