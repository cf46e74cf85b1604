package web

import "net/http"

// theme is light or dark; "" for that of the system. Browsers keep the one that was chosen in a cookie, so that pages
// come in it.
type theme string

const themeCookie = "cairn-theme"

func themeNamed(name string) theme {
	if name == "light" || name == "dark" {
		return theme(name)
	}
	return ""
}

func themeOf(r *http.Request) theme {
	c, err := r.Cookie(themeCookie)
	if err != nil {
		return ""
	}
	return themeNamed(c.Value)
}

// NextTheme is what the switch of a page leads to.
func (p page) NextTheme() theme { return map[theme]theme{"": "light", "light": "dark"}[p.Theme] }

// choose keeps a theme in the browser, and leads back.
func choose(w http.ResponseWriter, r *http.Request, _ *visitor) {
	to := themeNamed(r.URL.Query().Get("to"))
	http.SetCookie(w, &http.Cookie{
		Name: themeCookie, Value: string(to), Path: "/", MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, back(r.URL.Query().Get("back")), http.StatusSeeOther)
}
