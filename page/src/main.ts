// SPDX-License-Identifier: Apache-2.0
// Reads the data of the page and draws its sections.
import type { Page } from "./data";
import { readPage } from "./read";
import { drawPage } from "./shell";
import { make } from "./elements";
import { startTheme } from "./theme";

startTheme();
readPage().then(
  (page: Page) => drawPage(page, document.getElementById("page")!),
  (error: Error) =>
    document.getElementById("page")!.append(make("p", {}, `This page cannot be shown: ${error.message}`)),
);
