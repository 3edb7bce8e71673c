import type { Block, PortalPage, Property } from "./blocks.ts";

/** A page as Markdown. */
export const markdownPage = (page: PortalPage): string =>
  `# ${page.title}\n\n${markdownBlocks(page.blocks())}\n`;

const markdownBlocks = (blocks: readonly Block[]): string =>
  blocks
    .map(markdownBlock)
    .filter((text) => text !== "")
    .join("\n\n");

function markdownBlock(block: Block): string {
  switch (block.is) {
    case "heading":
      return `${"#".repeat(block.level)} ${block.text}`;
    case "text":
    case "lead":
      return block.text;
    case "code":
      return codeText(block);
    case "list":
      return block.items.map((item, index) => listItem(item, block.ordered, index)).join("\n");
    case "table":
      return [block.head, block.head.map(() => "---"), ...block.rows].map(tableRow).join("\n");
    case "properties":
      return block.rows.map((row) => propertyLines(row, "")).join("\n");
    case "fold":
      return `**${block.title}**\n\n${markdownBlocks(block.blocks)}`;
    case "beside":
      return `${markdownBlocks(block.blocks)}\n\n${markdownBlocks(block.code)}`;
    case "form":
      return "";
  }
}

function codeText({ title, language, text }: Extract<Block, { is: "code" }>): string {
  const fenced = `\`\`\`${language}\n${text}\n\`\`\``;
  return title === undefined ? fenced : `${title}\n\n${fenced}`;
}

const listItem = (item: readonly Block[], ordered: boolean, index: number): string =>
  `${ordered ? `${index + 1}.` : "-"} ${markdownBlocks(item).replaceAll("\n", "\n   ")}`;

const tableRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replace(/^\{#[\w.-]+\}/, "").replaceAll("|", "\\|")).join(" | ")} |`;

function propertyLines(row: Property, indent: string): string {
  const { name, type, required, about, facts, children } = row;
  const words = [about, ...facts].filter((text) => text !== "").join(" · ");
  const line = `${indent}- \`${name}\` (${type}${required ? ", required" : ""})${words && `: ${words}`}`;
  return [line, ...children.map((child) => propertyLines(child, `${indent}  `))].join("\n");
}
