import { searchOf, type Find, type SearchDocument } from '../search.ts';
import { element } from './dom.ts';

const MAX_RESULTS = 20;
const { search = '', root = '' } = document.querySelector<HTMLElement>('script[data-search]')?.dataset ?? {};
let index: Promise<Find> | undefined;

const load = (): Promise<Find> =>
  (index ??= fetch(search)
    .then((response) => response.json() as Promise<SearchDocument[]>)
    .then(searchOf));

export function openSearchOn(button: HTMLButtonElement | null): void {
  if (!button) return;
  const { dialog, open } = makeDialog();
  document.body.append(dialog);
  button.hidden = false;
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.closest('input, textarea, select');
    if (isTyping || (event.key !== '/' && !(event.key === 'k' && (event.ctrlKey || event.metaKey)))) return;
    event.preventDefault();
    open();
  });
}

function makeDialog(): { dialog: HTMLDialogElement; open: () => void } {
  const field = element('input', {
    type: 'search',
    id: 'search',
    placeholder: 'Search operations, guides, error codes',
    autocomplete: 'off',
    'aria-label': 'Search',
    'aria-controls': 'search-results',
  });
  const resultList = element('ul', { id: 'search-results' });
  const count = element('p', { role: 'status', class: 'count' });
  const close = element('button', { type: 'button' }, 'Close');
  const dialog = element(
    'dialog',
    { 'aria-label': 'Search', class: 'search' },
    element('div', {}, field, close),
    count,
    resultList,
  );
  close.addEventListener('click', () => dialog.close());
  field.addEventListener('input', () => void show());
  dialog.addEventListener('keydown', (event) => moveFocus(event, field, resultList));

  async function show(): Promise<void> {
    const words = field.value.trim();
    const results = words ? (await load())(words) : [];
    if (words !== field.value.trim()) return;
    count.textContent = words ? resultCount(results.length) : '';
    resultList.replaceChildren(...results.slice(0, MAX_RESULTS).map(itemOf));
  }
  return {
    dialog,
    open: () => {
      void load();
      dialog.showModal();
      field.select();
    },
  };
}

function resultCount(count: number): string {
  if (count === 0) return 'No results. Check the spelling or use fewer words.';
  if (count > MAX_RESULTS) return `First ${MAX_RESULTS} of ${count} results`;
  return count === 1 ? '1 result' : `${count} results`;
}

function itemOf({ title, name, where, address }: SearchDocument): HTMLElement {
  const [path = '', hash] = address.slice(1).split('#');
  const page = path === '' || path.endsWith('/') ? path : `${path}.html`;
  const href = (root + page || './') + (hash ? `#${hash}` : '');
  const parts = [
    element('strong', {}, title),
    ...(name ? [element('code', {}, name)] : []),
    element('small', {}, where),
  ];
  return element('li', {}, element('a', { href }, ...parts));
}

/** Moves the focus between the field and the results with the arrow keys. */
function moveFocus(event: KeyboardEvent, field: HTMLElement, resultList: HTMLElement): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const stops = [field, ...resultList.querySelectorAll('a')];
  const at = stops.indexOf(document.activeElement as HTMLElement);
  stops[Math.min(Math.max(at + step, 0), stops.length - 1)]?.focus();
}
