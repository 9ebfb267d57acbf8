/** Script of every page. Without JavaScript, pages still show all their text. */
import { addCopyButtons, makeTabs } from './code.ts';
import { openSearchOn } from './search-dialog.ts';
import { makeForm } from './try-form.ts';

const root = document.documentElement;

function makeThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme');
  if (!button) return;
  const isDark = (): boolean =>
    (root.dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const showTheme = (): void => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', isDark() ? 'Switch to light theme' : 'Switch to dark theme');
  };
  button.hidden = false;
  showTheme();
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark';
    root.dataset['theme'] = theme;
    localStorage.setItem('theme', theme);
    showTheme();
  });
}

/** Collapses the navigation on narrow screens. */
function collapseNavigation(): void {
  const details = document.querySelector<HTMLDetailsElement>('.sidebar details');
  if (!details) return;
  const wide = matchMedia('(min-width: 60rem)');
  const update = (): void => {
    details.open = wide.matches;
    if (wide.matches) details.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  };
  wide.addEventListener('change', update);
  update();
}

makeThemeButton();
collapseNavigation();
for (const tabs of document.querySelectorAll<HTMLElement>('.tabs')) makeTabs(tabs);
for (const code of document.querySelectorAll<HTMLElement>('.code')) addCopyButtons(code);
for (const place of document.querySelectorAll<HTMLElement>('[data-call]')) makeForm(place);
openSearchOn(document.querySelector<HTMLButtonElement>('#search-open'));
