// SPDX-License-Identifier: Apache-2.0
// Reads the data of the page and draws its sections.
import { readPage } from "./read";
import { drawPage, failureText } from "./shell";
import { startTheme } from "./theme";

const into = document.getElementById("page")!;
startTheme();
readPage()
  .then((page) => drawPage(page, into))
  .catch((error: unknown) => into.append(failureText("This page", error)))
  .finally(() => void (document.documentElement.dataset.ready = "yes"));
