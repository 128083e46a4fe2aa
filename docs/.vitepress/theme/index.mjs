// VitePress's own theme, and what `style.css` changes of it.

import DefaultTheme from 'vitepress/theme';
import './style.css';

// VitePress asks for a default export.
export default DefaultTheme;
