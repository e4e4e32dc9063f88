// A chart as PNG: the browser draws the same file that is downloaded as SVG, three times as large, and hands it over.

const SCALE = 3;

/** The drawing behind this address as an image of its own size. */
async function drawn(address) {
  const image = new Image();
  image.src = address;
  await image.decode();
  return image;
}

/** The name that the server gives the drawing, as a PNG. */
async function nameOf(address) {
  const answer = await fetch(address, { method: "HEAD" });
  const named = /filename="([^"]+)\.svg"/.exec(answer.headers.get("Content-Disposition") ?? "");
  return `${named ? named[1] : "chart"}.png`;
}

export async function savePicture(address) {
  const [image, name] = await Promise.all([drawn(address), nameOf(address)]);
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * SCALE;
  canvas.height = image.naturalHeight * SCALE;
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  const picture = await new Promise((resolve) => {
    canvas.toBlob(resolve, "image/png");
  });
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(picture), download: name });
  link.click();
  URL.revokeObjectURL(link.href);
}
