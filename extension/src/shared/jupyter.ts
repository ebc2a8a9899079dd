// What a page of JupyterLab or Notebook lets a widget do that a comm does not: interrupt the kernel
// while a cell runs. Elsewhere (VS Code, a page that stands alone) there is no such page around it.

interface Page {
  baseUrl: string;
  token: string;
}

/** The Jupyter server this page came from; null in other front ends. */
function page(): Page | null {
  const text = document.getElementById("jupyter-config-data")?.textContent;
  if (!text) return null;
  const { baseUrl = "/", token = "" } = JSON.parse(text) as Partial<Page>;
  return { baseUrl, token };
}

/** Whether a kernel can be interrupted from here. */
export const canInterrupt = (): boolean => page() !== null;

/** Interrupts a kernel as the stop button of the notebook does. Throws what the server said. */
export async function interrupt(kernelId: string): Promise<void> {
  const { baseUrl, token } = page() ?? { baseUrl: "/", token: "" };
  const headers: Record<string, string> = {};
  const xsrf = /(?:^|; )_xsrf=([^;]*)/.exec(document.cookie)?.[1];
  if (xsrf) headers["X-XSRFToken"] = xsrf;
  if (token) headers.Authorization = `token ${token}`;
  const path = `${baseUrl}api/kernels/${encodeURIComponent(kernelId)}/interrupt`;
  const answer = await fetch(path, { method: "POST", headers, credentials: "same-origin" });
  if (!answer.ok) throw new Error(`the server answered ${answer.status} ${answer.statusText}`);
}
