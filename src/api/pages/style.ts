/**
 * The stylesheet of all pages. It is limited to features that browsers of 2018 support, because the browser within an
 * app such as WeChat may be that old; newer features are used only if pages work without them.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: #eef2f0;
  --card: #ffffff;
  --edge: #dde5e1;
  --text: #1d2a33;
  --quiet: #52606b;
  --field: #ffffff;
  --field-edge: #7c8a93;
  --accent: #0f6b5c;
  --accent-strong: #0a5548;
  --on-accent: #ffffff;
  --tint: #e0f1ec;
  --alert: #a3241c;
  --alert-ground: #fdeeec;
  --shadow: 0 1px 2px rgba(20, 45, 40, 0.06), 0 12px 32px rgba(20, 45, 40, 0.08);
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #10171a;
    --card: #1a2328;
    --edge: #2a363c;
    --text: #e8eeec;
    --quiet: #a4b2b7;
    --field: #131b1f;
    --field-edge: #718088;
    --accent: #63cdb4;
    --accent-strong: #86dcc7;
    --on-accent: #06231c;
    --tint: #1c3a35;
    --alert: #ffa59b;
    --alert-ground: #3a2022;
    --shadow: none;
  }
}
* { box-sizing: border-box; }
html { height: 100%; }
body {
  min-height: 100%;
  margin: 0;
  display: flex;
  flex-direction: column;
  align-items: center;
  padding: 24px 16px;
  background: var(--ground);
  color: var(--text);
  font: 16px/1.6 -apple-system, BlinkMacSystemFont, "PingFang SC", "Segoe UI", Roboto, "Microsoft YaHei",
    "Noto Sans SC", "Noto Sans CJK SC", sans-serif;
  -webkit-text-size-adjust: 100%;
}
main {
  flex: none;
  width: 100%;
  max-width: 400px;
  margin: auto 0 0;
  padding: 36px 32px 32px;
  background: var(--card);
  border: 1px solid var(--edge);
  border-radius: 20px;
  box-shadow: var(--shadow);
  overflow-wrap: anywhere;
  word-wrap: break-word;
}
footer { flex: none; margin: 0 0 auto; padding: 12px 0 0; font-size: 14px; }
.icon {
  display: block;
  width: 56px;
  height: 56px;
  margin: 0 0 20px;
  padding: 14px;
  border-radius: 18px;
  background: var(--tint);
  color: var(--accent);
}
.expired { background: var(--ground); color: var(--quiet); }
h1 { margin: 0 0 10px; font-size: 24px; font-weight: 600; line-height: 1.3; }
p { margin: 0; color: var(--quiet); }
p + p { margin-top: 12px; }
bdi { color: var(--text); font-weight: 600; word-break: keep-all; }
form { margin: 24px 0 0; }
label { display: block; margin: 0 0 6px; font-size: 14px; font-weight: 600; }
input {
  display: block;
  width: 100%;
  height: 48px;
  margin: 0 0 18px;
  padding: 0 14px;
  background: var(--field);
  border: 1px solid var(--field-edge);
  border-radius: 12px;
  color: inherit;
  font: inherit;
  font-size: 16px;
  -webkit-appearance: none;
  appearance: none;
}
input[aria-invalid] { border-color: var(--alert); }
button {
  display: block;
  width: 100%;
  min-height: 48px;
  margin: 26px 0 0;
  padding: 10px 16px;
  background: var(--accent);
  border: 0;
  border-radius: 12px;
  color: var(--on-accent);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
  -webkit-appearance: none;
  appearance: none;
}
button:hover, button:active { background: var(--accent-strong); }
a { display: inline-block; padding: 10px 12px; border-radius: 10px; color: var(--quiet); }
a:hover { color: var(--accent); }
input:focus, button:focus, a:focus { outline: 3px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none; }
[role="alert"] {
  margin: 0 0 20px;
  padding: 12px 14px;
  background: var(--alert-ground);
  border-radius: 12px;
  color: var(--alert);
  font-size: 15px;
}
@media (max-width: 420px) { main { padding: 28px 22px 24px; } }
`
