/** Applies the stored colour theme before the page is shown. Default: the theme of the system. */
const chosen = localStorage.getItem('theme');
if (chosen) document.documentElement.dataset['theme'] = chosen;
