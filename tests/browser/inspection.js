// What axe-core leaves out: text in drawings, and width. Each function returns what offends, as text.
({
  // Text of drawings whose contrast with what is behind it is below 4.5, or 3 where it is large (WCAG 2.2, 1.4.3).
  faint() {
    const parsed = (text) => {
      const [red, green, blue, alpha = 1] = text.match(/[\d.]+(?:e-?\d+)?/g).map(Number);
      const scale = text.startsWith("color(srgb") ? 1 : 255;
      return [red / scale, green / scale, blue / scale, alpha];
    };
    const over = (top, ground) =>
      top.map((part, place) => (place === 3 ? 1 : part * top[3] + ground[place] * (1 - top[3])));
    const behind = (element) => {
      const layers = [];
      for (let at = element; at && !(layers[0]?.[3] === 1); at = at.parentElement) {
        layers.unshift(parsed(getComputedStyle(at).backgroundColor));
      }
      return layers.reduce((ground, layer) => over(layer, ground), [1, 1, 1, 1]);
    };
    const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
    const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
    const ratio = (...colors) => {
      const [dark, light] = colors.map(luminance).sort((one, other) => one - other);
      return (light + 0.05) / (dark + 0.05);
    };
    const isRead = (element) =>
      element.checkVisibility() && element.closest("svg") && !element.closest("title, desc, style");
    const found = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent.trim();
      const element = walker.currentNode.parentElement;
      if (!text || !isRead(element)) continue;
      const style = getComputedStyle(element);
      const ground = behind(element.closest("svg").parentElement);
      const size = parseFloat(style.fontSize);
      const isLarge = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      const contrast = ratio(over(parsed(style.fill), ground), ground);
      if (contrast < (isLarge ? 3 : 4.5)) found.add(`${text.slice(0, 40)}: ${contrast.toFixed(2)}`);
    }
    return [...found];
  },

  // How far the page is wider than its window.
  overflowing() {
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} pixels`] : [];
  },
})
