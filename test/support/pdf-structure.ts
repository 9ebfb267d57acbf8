/** Numbers of elements on a page of a PDF, by the tags that screen readers use. */
export interface PdfPage {
  /** Rows of tables without their heads. */
  rows: number;
  listItems: number;
  paragraphs: number;
  headings: number;
  /** Texts outside of the elements above, such as a fact and its value. */
  otherTexts: number;
}

interface Element {
  tag: string;
  parent: string;
  /** ID of the page of a text. */
  page: string | undefined;
}

const OBJECT = /(?:^|\n)(\d+) 0 obj\n<<((?:(?!endobj|stream).)*)>>\nendobj/gs;
const COUNTED = /^(TR|LI|P|H\d?)$/;

/** Counts the elements of each page of a tagged PDF that Chromium has printed. A split element counts on each page. */
export function pdfPagesOf(bytes: Uint8Array): PdfPage[] {
  const elements = new Map<string, Element>();
  const pages: string[] = [];
  for (const [, id = '', text = ''] of Buffer.from(bytes).toString('latin1').matchAll(OBJECT)) {
    if (/\/Type \/Page\n/.test(text)) pages.push(id);
    if (!text.includes('/Type /StructElem')) continue;
    const [, tag = ''] = /\/S \/(\w+)/.exec(text) ?? [];
    const [, parent = ''] = /\/P (\d+) 0 R/.exec(text) ?? [];
    elements.set(id, { tag, parent, page: /\/Pg (\d+) 0 R/.exec(text)?.[1] });
  }
  return pages.map((page) =>
    pageWith(
      [...elements].filter(([, each]) => each.page === page),
      elements,
    ),
  );
}

function pageWith(texts: readonly [string, Element][], elements: ReadonlyMap<string, Element>): PdfPage {
  const counted = new Map<string, string>();
  let otherTexts = 0;
  for (const [id] of texts) {
    let isHead = false;
    let at = id;
    while (elements.has(at) && !COUNTED.test(elements.get(at)?.tag ?? '')) {
      isHead ||= elements.get(at)?.tag === 'TH';
      at = elements.get(at)?.parent ?? '';
    }
    const tag = elements.get(at)?.tag;
    if (tag === undefined) otherTexts += 1;
    else if (!isHead) counted.set(at, tag);
  }
  const count = (tags: RegExp): number => [...counted.values()].filter((tag) => tags.test(tag)).length;
  return {
    ...{ rows: count(/^TR$/), listItems: count(/^LI$/), paragraphs: count(/^P$/), headings: count(/^H/) },
    otherTexts,
  };
}
