import { countOf } from "#src/lib/plain-text.ts";
import { type Html, html } from "#src/pages/html.ts";
import type { Block, Property } from "./blocks.ts";
import { inlineHtml } from "./inline.ts";

/** The markup of a page's blocks. */
export const blocksHtml = (blocks: readonly Block[]): Html[] => blocks.map(blockHtml);

function blockHtml(block: Block): Html {
  switch (block.is) {
    case "heading":
      return headingHtml(block);
    case "text":
      return html`<p>${inlineHtml(block.text)}</p>\n`;
    case "lead":
      return html`<p class="lead">${inlineHtml(block.text)}</p>\n`;
    case "code":
      return html`<figure class="code">${
        block.title && html`<figcaption>${inlineHtml(block.title)}</figcaption>`
      }<pre tabindex="0"><code>${block.text}</code></pre></figure>\n`;
    case "list":
      return listHtml(block);
    case "table":
      return tableHtml(block);
    case "properties":
      return html`<ul class="properties">${block.rows.map(propertyHtml)}</ul>\n`;
    case "fold":
      return html`<details class="fold"><summary>${inlineHtml(block.title)}</summary>
${blocksHtml(block.blocks)}</details>\n`;
    case "beside":
      return html`<section class="beside" aria-labelledby="${block.id}">
<div class="words">${blocksHtml(block.blocks)}</div>
<div class="samples">${blocksHtml(block.code)}</div></section>\n`;
    case "form":
      return block.html;
  }
}

function headingHtml({ level, text, id }: Extract<Block, { is: "heading" }>): Html {
  const words = html`<a href="#${id}">${inlineHtml(text)}</a>`;
  if (level === 2) return html`<h2 id="${id}">${words}</h2>\n`;
  return level === 3
    ? html`<h3 id="${id}">${words}</h3>\n`
    : html`<h4 id="${id}">${inlineHtml(text)}</h4>\n`;
}

function listHtml({ ordered, items }: Extract<Block, { is: "list" }>): Html {
  const lines = items.map(([first, ...rest]) =>
    first?.is === "text"
      ? html`<li>${inlineHtml(first.text)}${blocksHtml(rest)}</li>\n`
      : html`<li>${first && blockHtml(first)}${blocksHtml(rest)}</li>\n`,
  );
  return ordered ? html`<ol>${lines}</ol>\n` : html`<ul>${lines}</ul>\n`;
}

const tableHtml = ({ head, rows }: Extract<Block, { is: "table" }>): Html =>
  html`<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>
<thead><tr>${head.map(headCellHtml)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map(cellHtml)}</tr>\n`)}</tbody></table></div>\n`;

// the corner above the names of rows is no heading
const headCellHtml = (cell: string): Html =>
  cell === "" ? html`<td></td>` : html`<th scope="col">${inlineHtml(cell)}</th>`;

/** A cell may begin with the anchor of its row: `{#U002}`. */
function cellHtml(cell: string): Html {
  const found = /^\{#([\w.-]+)\}(.*)$/s.exec(cell);
  return found
    ? html`<td id="${found[1]}">${inlineHtml(found[2] ?? "")}</td>`
    : html`<td>${inlineHtml(cell)}</td>`;
}

function propertyHtml({ id, name, type, required, about, facts, children }: Property): Html {
  const heading = html`<code>${name}</code> <span class="type">${inlineHtml(type)}</span>${
    required && html` <span class="required">required</span>`
  }`;
  const words = html`${about && html`<p>${inlineHtml(about)}</p>`}${
    facts.length > 0 && html`<p class="facts">${inlineHtml(facts.join(" · "))}</p>`
  }`;
  if (children.length === 0) return html`<li id="${id}">${heading}${words}</li>\n`;
  return html`<li id="${id}">${heading}${words}
<details${isWrapper(name) && html` open`}><summary>${membersText(children)}</summary>
<ul>${children.map(propertyHtml)}</ul></details></li>\n`;
}

// what every body consists of is of no interest while it is closed
const isWrapper = (name: string): boolean => name === "Data" || name === "Initiation";

const membersText = (children: readonly Property[]): string =>
  countOf(children.length, "property", "properties");
