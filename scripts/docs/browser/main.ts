/** What pages do with JavaScript; without it all of their text is there. */
import { addCopyButtons, makeTabs } from './code.ts';
import { openSearchOn } from './search-dialog.ts';
import { makeForm } from './try-form.ts';

const root = document.documentElement;

function makeThemeButton(): void {
  const button = document.querySelector<HTMLButtonElement>('#theme');
  if (!button) return;
  const isDark = (): boolean =>
    (root.dataset['theme'] ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark';
  const label = (): void => {
    button.textContent = isDark() ? 'Light' : 'Dark';
    button.setAttribute('aria-label', isDark() ? 'Show in light colours' : 'Show in dark colours');
  };
  button.hidden = false;
  label();
  button.addEventListener('click', () => {
    const theme = isDark() ? 'light' : 'dark';
    root.dataset['theme'] = theme;
    localStorage.setItem('theme', theme);
    label();
  });
}

/** On a narrow screen the navigation is closed, and opened by its own line. */
function foldNavigation(): void {
  const details = document.querySelector<HTMLDetailsElement>('.sidebar details');
  if (!details) return;
  const wide = matchMedia('(min-width: 60rem)');
  const follow = (): void => {
    details.open = wide.matches;
    if (wide.matches) details.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  };
  wide.addEventListener('change', follow);
  follow();
}

makeThemeButton();
foldNavigation();
for (const tabs of document.querySelectorAll<HTMLElement>('.tabs')) makeTabs(tabs);
for (const code of document.querySelectorAll<HTMLElement>('.code')) addCopyButtons(code);
for (const place of document.querySelectorAll<HTMLElement>('[data-call]')) makeForm(place);
openSearchOn(document.querySelector<HTMLButtonElement>('#search-open'));
