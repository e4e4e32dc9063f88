// The API's description, drawn by Swagger UI from our own copy of it.
const place = document.getElementById("api-docs");

window.SwaggerUIBundle({
  domNode: place,
  url: place.dataset.schema,
  deepLinking: true,
  // A validator elsewhere would be told what is read here.
  validatorUrl: null,
  persistAuthorization: false,
});
